package dev.howdah.embedded.internal.server;

import dev.howdah.embedded.EmbeddedPostgresException;
import dev.howdah.embedded.internal.install.PostgresArchive;
import dev.howdah.embedded.internal.system.DirectoryLayout;
import dev.howdah.embedded.internal.system.DirectoryTree;
import dev.howdah.embedded.internal.system.ExternalCommand;
import dev.howdah.embedded.internal.system.FileModes;
import dev.howdah.embedded.internal.system.ServerUser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The data directory: made once, by initdb beside its final place, and given its configuration at every start. */
public record DataDirectory(DirectoryLayout layout, Path binaries, PostgresArchive archive, ServerUser user) {
    private static final Duration INITDB_LIMIT = Duration.ofMinutes(5);

    /** Fails unless the data is of this PostgreSQL's major version, or not there yet. */
    static void mustBe(PostgresArchive archive, Path data) throws IOException {
        if (!Files.exists(data)) {
            return;
        }
        Path file = data.resolve("PG_VERSION");
        if (!Files.isRegularFile(file)) {
            throw new EmbeddedPostgresException(data + " exists and is not the data of a PostgreSQL server"
                    + " (it has no PG_VERSION); move it away or choose another directory with --data");
        }
        String made = Files.readString(file).strip();
        if (!made.equals(Integer.toString(archive.major()))) {
            throw new EmbeddedPostgresException(data + " was made by PostgreSQL " + made + ", this Howdah brings "
                    + archive.version() + "; start it with a PostgreSQL " + made + ", save it with pg_dumpall and load"
                    + " that into a new directory, or choose another directory with --data");
        }
    }

    void makeIfAbsent() throws IOException {
        DirectoryTree.delete(layout.unfinishedData());
        if (Files.exists(layout.data())) {
            user.own(layout.data());
            return;
        }
        ExternalCommand result = initdb("C.UTF-8");
        if (!result.succeeded() && result.output().contains("invalid locale")) {
            result = initdb("C");
        }
        if (!result.succeeded()) {
            DirectoryTree.delete(layout.unfinishedData());
            throw new EmbeddedPostgresException("PostgreSQL " + archive.version() + " could not make its data in "
                    + layout.data() + ": " + ServerLog.reason(result.output()));
        }
        user.own(layout.unfinishedData());
        user.write(
                layout.unfinishedData(),
                "postgresql.conf",
                "\n# Howdah's defaults, written anew at every start. What stands below this line overrides them.\n"
                        + "include_if_exists = '" + ServerConfiguration.DEFAULTS + "'\n",
                true);
        Files.move(layout.unfinishedData(), layout.data(), StandardCopyOption.ATOMIC_MOVE);
    }

    private ExternalCommand initdb(String locale) throws IOException {
        DirectoryTree.delete(layout.unfinishedData());
        Files.createDirectory(layout.unfinishedData(), FileModes.creating(layout.unfinishedData(), "rwx------"));
        List<String> words = new ArrayList<>(List.of(
                binaries.resolve("bin/initdb").toString(),
                "--pgdata=" + user.path(layout.unfinishedData()),
                "--username=postgres",
                "--encoding=UTF8",
                "--auth=trust",
                "--data-checksums"));
        if (archive.major() >= 17) {
            words.addAll(List.of("--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"));
        } else {
            words.add("--locale=" + locale);
        }
        return ExternalCommand.run(user.namedCommand(layout.unfinishedData(), words), "", INITDB_LIMIT);
    }
}
