package dev.howdah.daemon.cli.sweep;

import dev.howdah.daemon.config.Configuration;
import dev.howdah.daemon.config.SecretFile;
import dev.howdah.daemon.config.Setting;
import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.work.BatchProgram;
import dev.howdah.daemon.work.BatchRequest;
import dev.howdah.daemon.work.ChildProgram;
import dev.howdah.daemon.work.HttpPlaces;
import dev.howdah.daemon.work.RowProgram;
import dev.howdah.daemon.work.RowRequest;
import dev.howdah.internal.http.HttpPost;
import dev.howdah.internal.http.Signer;
import dev.howdah.sweep.SweepBuilder;
import java.net.URI;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Options that say what a sweep does to rows. */
final class SweepWork {
    @Option(
            names = "--sql",
            paramLabel = "SQL",
            description =
                    "One statement for each batch, in the transaction that marks its rows: exactly once. batch in it"
                            + " is a table of the rows.")
    private @Nullable String sql;

    @Option(
            names = "--exec",
            paramLabel = "PROGRAM",
            description =
                    "Run this for each row, at least once: the row as JSON on its standard input, the key as its last"
                            + " arguments; exit code 0 is done.")
    private @Nullable String program;

    @Parameters(
            paramLabel = "ARG",
            arity = "0..*",
            description = "Arguments of that program, before the key; after -- if they begin with a dash.")
    private List<String> arguments = new ArrayList<>();

    @Option(
            names = "--http",
            paramLabel = "URL",
            description = "POST each row as JSON to this address, at least once; 2xx is done.")
    private @Nullable String url;

    @Option(
            names = "--header",
            paramLabel = "NAME:VALUE",
            description = "A header of these requests, or @FILE: a file of such lines, for secrets.")
    private List<String> headers = new ArrayList<>();

    @Option(
            names = "--whole-batch",
            description = "Run the program, or send a request, for each batch instead of each row; it answers for each"
                    + " row.")
    private boolean wholeBatch;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            description = "Timeout of the program or the request (default: 60).")
    private @Nullable Integer timeout;

    /**
     * Tells what is to be done.
     *
     * @param gone told when the program is not there any more
     * @return the program, if there is one
     * @throws CliException if the options do not go together, or what they name is not there
     */
    @Nullable
    ChildProgram tell(
            SweepBuilder builder,
            String sweep,
            Configuration settings,
            Map<String, String> environment,
            Runnable gone) {
        check(settings);
        if (sql != null) builder.sql(sql);
        if (url != null) {
            Signer signer = settings.find(Setting.HTTP_SECRET)
                    .map(file -> SecretFile.signer(Path.of(file).toAbsolutePath()))
                    .orElse(null);
            HttpPost post = wholeBatch ? new HttpPost(longest(), BatchRequest.MOST_ANSWER) : new HttpPost(longest());
            RowRequest request = new RowRequest(address(url), headers(), signer, sweep, post, Clock.systemUTC());
            if (wholeBatch) builder.forEachBatchWithResults(new BatchRequest(request));
            else builder.forEachRow(request);
        }
        if (program == null) return null;
        ChildProgram child = ChildProgram.of(program, arguments, longest(), environment, gone);
        if (wholeBatch) builder.forEachBatchWithResults(new BatchProgram(child));
        else builder.forEachRow(new RowProgram(child));
        return child;
    }

    boolean isSql() {
        return sql != null;
    }

    /** The first word that no program can get, as there is none. */
    @Nullable
    String stray() {
        return program == null && !arguments.isEmpty() ? arguments.get(0) : null;
    }

    private void check(Configuration settings) {
        List<String> works = new ArrayList<>();
        if (sql != null) works.add("--sql");
        if (program != null) works.add("--exec");
        if (url != null) works.add("--http");
        if (works.size() > 1) throw CliException.usage(String.join(", ", works) + ": only one of them");
        if (url == null && !headers.isEmpty()) throw CliException.usage("--header without --http");
        if (url == null && settings.isFlag(Setting.HTTP_SECRET))
            throw CliException.usage("--http-secret without --http");
        if (wholeBatch && url == null && program == null)
            throw CliException.usage("--whole-batch without --exec or --http");
        if (timeout != null && url == null && program == null)
            throw CliException.usage("--timeout without --exec or --http");
        if (timeout != null && (timeout < 1 || timeout > 86_400))
            throw CliException.usage("--timeout has to be a number of seconds from 1 to 86400, not " + timeout);
    }

    /** How long the program or a request may take. */
    Duration longest() {
        return Duration.ofSeconds(timeout == null ? 60 : timeout);
    }

    private static URI address(String url) {
        try {
            return HttpPlaces.address(url);
        } catch (IllegalArgumentException e) {
            throw CliException.usage(String.valueOf(e.getMessage()).replaceFirst("^\"url\"", "--http"));
        }
    }

    private Map<String, String> headers() {
        Map<String, String> all = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        for (String each : headers) {
            if (!each.startsWith("@")) {
                add(all, each, "--header");
                continue;
            }
            Path file = Path.of(each.substring(1));
            List<String> lines = lines(file);
            for (int i = 0; i < lines.size(); i++)
                if (!lines.get(i).isBlank()) add(all, lines.get(i), "--header: line " + (i + 1) + " of " + file);
        }
        return all;
    }

    private static void add(Map<String, String> all, String line, String place) {
        int colon = line.indexOf(':');
        // Not what it is: it may be a secret.
        if (colon < 1) throw CliException.usage(place + " is not NAME:VALUE");
        String value = line.substring(colon + 1).strip();
        try {
            all.put(HttpPost.checked(line.substring(0, colon).strip(), value), value);
        } catch (IllegalArgumentException e) {
            throw CliException.usage(place + ": " + e.getMessage());
        }
    }

    private static List<String> lines(Path file) {
        return SecretFile.text("--header", file).lines().toList();
    }
}
