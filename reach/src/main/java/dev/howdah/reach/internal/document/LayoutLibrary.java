package dev.howdah.reach.internal.document;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The class path of the process that makes documents. The jar of the daemon holds the library that lays out HTML as jars of their own, as
 * its licence (LGPL) wants it, so that they can be exchanged; they are written to a directory of this program alone. Elsewhere they are on
 * the class path.
 */
final class LayoutLibrary {
    private static final List<String> JARS = List.of("openhtmltopdf-core.jar", "openhtmltopdf-pdfbox.jar");

    private final List<Path> written = new ArrayList<>();

    /** Written out with the first call. */
    synchronized String classPath() throws IOException {
        List<String> all = new ArrayList<>();
        all.add(System.getProperty("java.class.path"));
        if (written.isEmpty()) write();
        for (Path each : written) all.add(each.toString());
        return String.join(System.getProperty("path.separator"), all);
    }

    private void write() throws IOException {
        for (String each : JARS)
            try (InputStream jar = LayoutLibrary.class.getResourceAsStream("/howdah-documents/" + each)) {
                if (jar == null) continue;
                Path directory = written.isEmpty()
                        ? Files.createTempDirectory("howdah-documents")
                        : written.get(0).resolveSibling("");
                directory.toFile().deleteOnExit();
                Path file = directory.resolve(each);
                Files.copy(jar, file);
                file.toFile().deleteOnExit();
                written.add(file);
            }
    }
}
