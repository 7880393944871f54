package dev.howdah.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.List;

/** The superuser's password, made up once and kept in files that only their owner may read. */
final class Password {
    private static final int BYTES = 24;
    /** A server that was killed recovers first, also in single-user mode. */
    private static final Duration LIMIT = Duration.ofMinutes(10);

    private Password() {}

    /** Sets a password while no server runs on this data, unless there is one already. */
    static void ensure(Cluster cluster) throws IOException {
        Layout layout = cluster.layout();
        if (!Files.exists(layout.password())) {
            byte[] bytes = new byte[BYTES];
            new SecureRandom().nextBytes(bytes);
            String password = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
            set(cluster, password);
            writeSecret(layout.password(), password + "\n");
        }
        String password = Files.readString(layout.password()).strip();
        writeSecret(layout.passfile(), "127.0.0.1:*:*:postgres:" + password + "\n");
    }

    /** Through a server for one session, without any network: there is never a moment without a password. */
    private static void set(Cluster cluster, String password) {
        Command result = Command.run(
                cluster.user()
                        .command(
                                "KILL",
                                List.of(
                                        cluster.binaries()
                                                .resolve("bin/postgres")
                                                .toString(),
                                        "--single",
                                        "-D",
                                        cluster.layout().data().toString(),
                                        "-c",
                                        "password_encryption=scram-sha-256",
                                        "-c",
                                        "exit_on_error=on",
                                        "postgres")),
                "ALTER ROLE postgres PASSWORD '" + password + "';\n",
                LIMIT);
        if (!result.succeeded()) {
            throw new EmbeddedPostgresException("PostgreSQL took no password: "
                    + ServerLog.reason(result.output()).replace(password, "..."));
        }
    }

    private static void writeSecret(Path file, String text) throws IOException {
        Path next = file.resolveSibling(file.getFileName() + ".tmp");
        Files.deleteIfExists(next);
        Files.createFile(next, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(next, text);
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    }
}
