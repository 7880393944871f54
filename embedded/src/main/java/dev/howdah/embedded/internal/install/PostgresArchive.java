package dev.howdah.embedded.internal.install;

import dev.howdah.embedded.EmbeddedPostgresException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.util.Locale;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A packed PostgreSQL: a tar, compressed with xz, with bin, lib and share at its top. */
public record PostgresArchive(String version, URL location) {
    private static final Pattern VERSION = Pattern.compile("(\\d+\\.\\d+)(\\.0)?");

    public PostgresArchive {
        Matcher matcher = VERSION.matcher(version);
        if (!matcher.matches()) {
            throw new EmbeddedPostgresException(
                    "\"" + version + "\" is not a PostgreSQL version; give major and minor, such as 18.4");
        }
        version = matcher.group(1);
    }

    /** The one that this build of Howdah brings along. */
    public static PostgresArchive bundled() {
        String name = resourceName(System.getProperty("os.name", ""), System.getProperty("os.arch", ""));
        URL location = name == null ? null : PostgresArchive.class.getResource("/" + name);
        if (location == null) {
            throw new EmbeddedPostgresException("no PostgreSQL is brought along for " + System.getProperty("os.name")
                    + " on " + System.getProperty("os.arch")
                    + "; start a PostgreSQL server of your own and give Howdah its address");
        }
        return new PostgresArchive(bundledVersion(), location);
    }

    public int major() {
        return Integer.parseInt(version.substring(0, version.indexOf('.')));
    }

    static @Nullable String resourceName(String osName, String osArch) {
        String os = osName.toLowerCase(Locale.ROOT);
        String system = os.startsWith("linux")
                ? "linux"
                : os.startsWith("mac") ? "darwin" : os.startsWith("windows") ? "windows" : null;
        String machine = switch (osArch) {
            case "amd64", "x86_64" -> "x86_64";
            case "aarch64", "arm64" -> "arm_64";
            default -> null;
        };
        return system == null || machine == null ? null : "postgres-" + system + "-" + machine + ".txz";
    }

    private static String bundledVersion() {
        try (InputStream in = PostgresArchive.class.getResourceAsStream("/dev/howdah/embedded/postgres.properties")) {
            Properties properties = new Properties();
            if (in != null) {
                properties.load(in);
            }
            return properties.getProperty("version", "");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
