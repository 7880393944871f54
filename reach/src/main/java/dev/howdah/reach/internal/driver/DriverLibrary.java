package dev.howdah.reach.internal.driver;

import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.sql.Driver;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

/** The drivers of some jars. Those of a group see each other and Java, and nothing else. */
final class DriverLibrary {
    private final List<ClassLoader> groups = new ArrayList<>();

    /** @param groups paths of jars */
    DriverLibrary(List<List<String>> groups) throws MalformedURLException {
        for (List<String> each : groups) {
            URL[] jars = new URL[each.size()];
            for (int i = 0; i < jars.length; i++)
                jars[i] = Path.of(each.get(i)).toUri().toURL();
            this.groups.add(new URLClassLoader(jars, ClassLoader.getPlatformClassLoader()));
        }
    }

    /**
     * The driver of a URL.
     *
     * @throws SQLException if there is none
     */
    Driver of(String url) throws SQLException {
        for (ClassLoader group : groups) {
            try {
                for (Driver each : ServiceLoader.load(Driver.class, group))
                    if (each.getClass().getClassLoader() == group && each.acceptsURL(url)) {
                        // Drivers look for their helpers there.
                        Thread.currentThread().setContextClassLoader(group);
                        return each;
                    }
            } catch (ServiceConfigurationError | LinkageError e) {
                // Another group may have it.
                e.printStackTrace();
            }
        }
        throw new SQLException("no driver takes the database's URL", "W1009");
    }
}
