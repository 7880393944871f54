package dev.howdah.embedded.internal.server;

import dev.howdah.embedded.EmbeddedPostgresException;
import dev.howdah.embedded.internal.system.DirectoryLayout;
import dev.howdah.embedded.internal.system.ExternalCommand;
import dev.howdah.embedded.internal.system.PrivateFile;
import dev.howdah.embedded.internal.system.ServerUser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.List;

/** The superuser's password, made up once and kept in files that only their owner may read. */
public final class SuperuserPassword {
    private static final int BYTES = 24;
    /** A server that was killed recovers first, also in single-user mode. */
    private static final Duration LIMIT = Duration.ofMinutes(10);

    private SuperuserPassword() {}

    /** Sets a password while no server runs on this data, unless there is one already. */
    public static void ensure(DataDirectory cluster) throws IOException {
        DirectoryLayout layout = cluster.layout();
        if (!Files.exists(layout.password())) {
            byte[] bytes = new byte[BYTES];
            new SecureRandom().nextBytes(bytes);
            String password = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
            set(cluster, password);
            PrivateFile.write(layout.password(), password + "\n");
        }
        String password = Files.readString(layout.password()).strip();
        PrivateFile.write(layout.passfile(), "127.0.0.1:*:*:postgres:" + password + "\n");
    }

    /** Through a server for one session, without any network: there is never a moment without a password. */
    private static void set(DataDirectory cluster, String password) throws IOException {
        ServerUser user = cluster.user();
        Path data = cluster.layout().data();
        List<String> words = List.of(
                cluster.binaries().resolve("bin/postgres").toString(),
                "--single",
                "-D",
                user.path(data),
                "-c",
                "password_encryption=scram-sha-256",
                "-c",
                "exit_on_error=on",
                "postgres");
        ExternalCommand result = ExternalCommand.run(
                user.namedCommand(data, words), "ALTER ROLE postgres PASSWORD '" + password + "';\n", LIMIT);
        user.own(data);
        if (!result.succeeded()) {
            throw new EmbeddedPostgresException("PostgreSQL took no password: "
                    + ServerLog.reason(result.output()).replace(password, "..."));
        }
    }
}
