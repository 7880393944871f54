package dev.howdah.daemon.serve;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import dev.howdah.daemon.config.Configuration;
import dev.howdah.daemon.config.Setting;
import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.console.Json;
import dev.howdah.daemon.work.HttpNamespace;
import dev.howdah.daemon.work.HttpPlaces;
import dev.howdah.internal.http.Signer;
import dev.howdah.internal.sql.SchemaName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The processes that the daemon runs.
 *
 * @param namespaces none: none are
 */
record ProcessPlan(List<HttpNamespace> namespaces, SchemaName schema) {
    ProcessPlan {
        namespaces = List.copyOf(namespaces);
    }

    /**
     * Reads the file that the configuration names.
     *
     * @param jobs of other kinds: a role that adds one of them must not speak for the daemon
     * @throws CliException if it cannot be read, or says what makes no sense
     */
    static ProcessPlan of(Configuration configuration, JobPlan jobs) {
        String name = configuration.find(Setting.PROCESSES).orElse(null);
        if (name == null) return new ProcessPlan(List.of(), jobs.schema());
        Path file = Path.of(name).toAbsolutePath();
        try {
            ProcessPlan plan = new ProcessPlan(read(Files.readString(file), file.resolveSibling("")), jobs.schema());
            for (HttpNamespace each : plan.namespaces()) check(each, jobs);
            return plan;
        } catch (IOException e) {
            throw CliException.usage("--processes: cannot read " + file + ": " + Configuration.reason(e));
        } catch (IllegalArgumentException | CliException e) {
            throw CliException.usage("--processes: " + file + ": " + e.getMessage());
        }
    }

    /** Signed by the same secret, the request of a job would be taken for a step. */
    private static void check(HttpNamespace namespace, JobPlan jobs) {
        HttpPlaces places = jobs.places();
        Signer signer = jobs.signer();
        if (places != null
                && signer != null
                && places.has(namespace.uri())
                && namespace.signer().isSame(signer))
            throw new IllegalArgumentException(
                    "the namespace " + namespace.name()
                            + " has the secret of --http-secret, and --http-allow lets jobs go there: give it a secret of its own");
    }

    private static List<HttpNamespace> read(String text, Path directory) throws IOException {
        List<HttpNamespace> found = new ArrayList<>();
        Set<String> names = new HashSet<>();
        try (JsonParser json = Json.parser(text)) {
            if (json.nextToken() != JsonToken.START_ARRAY)
                throw new IllegalArgumentException("it has to be an array of objects, such as"
                        + " [{\"namespace\": \"payment\", \"url\": \"http://127.0.0.1:8080/\", \"secret\": \"FILE\"}]");
            while (json.nextToken() != JsonToken.END_ARRAY) {
                HttpNamespace each = HttpNamespace.of("entry " + (found.size() + 1), Json.structure(json), directory);
                if (!names.add(each.name()))
                    throw new IllegalArgumentException("the namespace " + each.name() + " stands there twice");
                found.add(each);
            }
            if (json.nextToken() != null)
                throw new IllegalArgumentException("there is something behind the end of the array");
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("it is no JSON: " + Json.complaint(e) + ", in line "
                    + e.getLocation().getLineNr());
        }
        if (found.isEmpty()) throw new IllegalArgumentException("it names no namespace");
        return found;
    }

    boolean isEmpty() {
        return namespaces.isEmpty();
    }
}
