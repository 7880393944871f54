package dev.howdah.reach.internal.document;

import dev.howdah.reach.internal.call.ReachFailure;
import dev.howdah.reach.internal.call.ReachFailure.Code;
import dev.howdah.reach.internal.secret.SecretSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The fonts of an administrator: files {@code .ttf} of a folder. */
final class FontFiles {
    private static final Logger log = LoggerFactory.getLogger(FontFiles.class);

    private FontFiles() {}

    /**
     * The paths of them, in order of their names; none where there is no such folder.
     *
     * @param folder null where none is named
     * @throws ReachFailure if the folder cannot be read, or others can change something in it
     */
    static List<String> of(@Nullable Path folder) throws ReachFailure {
        if (folder == null || !Files.isDirectory(folder)) return List.of();
        try (Stream<Path> all = Files.list(folder)) {
            SecretSource.refuseWritable(folder);
            List<Path> fonts = all.filter(each -> each.toString().endsWith(".ttf"))
                    .sorted()
                    .toList();
            fonts.forEach(SecretSource::refuseWritable);
            return fonts.stream().map(each -> each.toAbsolutePath().toString()).toList();
        } catch (IOException | IllegalArgumentException e) {
            log.error("the fonts of {} cannot be used: {}", folder, e.getMessage());
            throw ReachFailure.lasting(
                    Code.PROGRAM, "the fonts cannot be used", null, "The log of the program says why.");
        }
    }
}
