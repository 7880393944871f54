package dev.howdah.daemon.serve;

import dev.howdah.daemon.config.Configuration;
import dev.howdah.daemon.config.Installation;
import dev.howdah.daemon.config.SecretFile;
import dev.howdah.daemon.config.Setting;
import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.work.HttpPlaces;
import dev.howdah.internal.http.Signer;
import dev.howdah.internal.sql.SchemaName;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The jobs that the daemon runs, and what they may do.
 *
 * @param queues none: no jobs are worked
 * @param sqlRole the role that runs jobs of kind sql; null: they wait
 * @param superuser whether that role may be a superuser or own the tables of jobs
 * @param places where jobs of kind http may go; null: they wait
 * @param signer of their requests
 * @param schema of the tables
 */
public record JobPlan(
        List<String> queues,
        int workers,
        @Nullable String sqlRole,
        boolean superuser,
        @Nullable HttpPlaces places,
        @Nullable Signer signer,
        Duration timeout,
        SchemaName schema) {
    private static final int LONGEST = 200;

    /** @throws CliException if the settings make no sense together */
    public static JobPlan of(Configuration configuration) {
        List<String> queues = configuration.list(Setting.QUEUES);
        for (String each : queues)
            if (each.length() > LONGEST)
                throw CliException.usage("--queues: the name of a queue has 1 to " + LONGEST + " characters, not "
                        + each.length() + ": " + each.substring(0, 40) + "...");
        List<Setting> others = new ArrayList<>(List.of(
                Setting.WORKERS,
                Setting.SQL_ROLE,
                Setting.SQL_SUPERUSER,
                Setting.HTTP_ALLOW,
                Setting.HTTP_SECRET,
                Setting.HTTP_TIMEOUT));
        others.removeIf(each -> !configuration.given(each));
        if (queues.isEmpty() && !others.isEmpty())
            throw CliException.usage(others.get(0).flag() + " without --queues: name the queues whose jobs are to run");
        String role = configuration.find(Setting.SQL_ROLE).orElse(null);
        List<String> allowed = configuration.list(Setting.HTTP_ALLOW);
        if (!queues.isEmpty() && role == null && allowed.isEmpty())
            throw CliException.usage(
                    "--queues says nothing of what their jobs may do: --sql-role ROLE for those of kind sql,"
                            + " --http-allow with --http-secret for those of kind http");
        String secret = configuration.find(Setting.HTTP_SECRET).orElse(null);
        if (!allowed.isEmpty() && secret == null)
            throw CliException.usage("--http-allow needs --http-secret FILE: requests are signed");
        return new JobPlan(
                queues,
                configuration.number(Setting.WORKERS),
                role,
                configuration.text(Setting.SQL_SUPERUSER).equals("on"),
                allowed.isEmpty() ? null : HttpPlaces.of(allowed),
                secret == null ? null : SecretFile.signer(Path.of(secret).toAbsolutePath()),
                Duration.ofSeconds(configuration.number(Setting.HTTP_TIMEOUT)),
                Installation.of(configuration));
    }

    boolean isEmpty() {
        return queues.isEmpty();
    }
}
