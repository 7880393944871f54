package dev.howdah.console.internal.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.access.Caller;
import dev.howdah.console.internal.connection.Client;
import dev.howdah.job.query.JobSummary;
import dev.howdah.operations.Parameter;
import dev.howdah.operations.ParameterException;
import dev.howdah.operations.Values;
import dev.howdah.operations.value.Periods;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request whose parameters and fields are those of its route.
 *
 * @param names of the path
 * @param query parameters by name
 * @param body an empty object if there is none
 * @param idempotencyKey null: it has none
 * @param client null: a part of a request
 */
public record ApiRequest(
        Caller caller,
        Map<String, String> names,
        Map<String, String> query,
        ObjectNode body,
        @Nullable String idempotencyKey,
        @Nullable Client client) {
    /** The longest delay of jobs. */
    private static final Duration LONGEST = Duration.ofDays(366L * 1000);

    public ApiRequest {
        names = Map.copyOf(names);
        query = Map.copyOf(query);
    }

    /** The same request with another body: an object in its own. */
    public ApiRequest with(ObjectNode part) {
        return new ApiRequest(caller, names, query, part, null, null);
    }

    /** @throws ApiProblemException if the caller may not use that queue */
    public void checkQueue(String queue) {
        if (!caller.uses(queue))
            throw new ApiProblemException(
                    403,
                    "forbidden",
                    caller.name() + " may use " + (caller.queues().size() == 1 ? "queue " : "the queues ")
                            + String.join(", ", caller.queues()) + " only, not " + queue + ".");
    }

    /** @throws ApiProblemException if the caller may not add jobs of that kind to that queue */
    public void checkJob(String queue, String kind) {
        checkQueue(queue);
        checkKind(kind);
    }

    /** @throws ApiProblemException if the caller may neither add jobs of that kind nor say what becomes of them */
    public void checkKind(String kind) {
        if (!caller.role().mayAdd(kind))
            throw new ApiProblemException(
                    403,
                    "forbidden",
                    "Jobs of kind " + kind
                            + " have the privileges of the daemon: adding and claiming them needs the role administrator.");
    }

    /**
     * A program is told of the jobs of its queues; of others it does not get to know that they are there.
     *
     * @param words for that which was asked for
     * @param job null: it is no job
     * @throws ApiProblemException if the caller is not told of it
     */
    public void checkTold(String words, @Nullable JobSummary job) {
        if (caller.role().isProgram() && (job == null || !caller.uses(job.queue())))
            throw ApiProblemException.notFound("there is no " + words + " in a queue of " + caller.name());
    }

    /** A name in the path. */
    public String name(String name) {
        return String.valueOf(names.get(name));
    }

    /** A part of the key of an object: in the path, or the parameter of that name; null: neither. */
    public @Nullable String key(String name) {
        return names.getOrDefault(name, query.get(name));
    }

    /** The id in the path; one that cannot be is not found. */
    public long id() {
        String text = name("id");
        if (!text.matches("\\d{1,18}")) throw ApiProblemException.notFound("an id is a number, not \"" + text + "\"");
        return Long.parseLong(text);
    }

    /** A parameter; null: it is absent. */
    public @Nullable String parameter(String name) {
        return query.get(name);
    }

    /** A text of the body; null: it is absent. */
    public @Nullable String text(String name) {
        JsonNode value = body.get(name);
        return value == null ? null : value.asText();
    }

    /**
     * The text of a field of the body, of an array a line for each; null: it is absent.
     *
     * @throws ApiProblemException if a text of an array has several lines
     */
    public @Nullable String lines(String name) {
        JsonNode value = body.get(name);
        if (value == null || !value.isArray()) return text(name);
        List<String> texts = texts(name);
        for (String each : texts)
            if (each.lines().count() > 1)
                throw ApiProblemException.ofField(name, name + " has a text with a line break");
        return String.join("\n", texts);
    }

    /** The values of parameters in the body. */
    public Values values(List<Parameter<?>> parameters) {
        try {
            return Values.read(parameters, this::lines);
        } catch (ParameterException e) {
            throw ApiProblemException.ofField(e.parameter().name(), String.valueOf(e.getMessage()));
        }
    }

    /** An integer of the body within bounds. */
    public int integer(String name, int usual, int least, int most) {
        JsonNode value = body.get(name);
        if (value == null) return usual;
        try {
            return integer(name, value.asText(), least, most);
        } catch (ApiProblemException e) {
            throw ApiProblemException.ofField(name, e.detail());
        }
    }

    /** The integer in a parameter, within bounds. */
    public int integerParameter(String name, int usual, int least, int most) {
        String text = query.get(name);
        return text == null ? usual : integer(name, text, least, most);
    }

    private static int integer(String name, String text, int least, int most) {
        if (text.matches("-?\\d{1,9}")) {
            int value = Integer.parseInt(text);
            if (value >= least && value <= most) return value;
        }
        throw ApiProblemException.invalid(name + " has to be from " + least + " to " + most + ", not " + text);
    }

    /** Texts of the body; empty: it is absent. */
    public List<String> texts(String name) {
        List<String> texts = new ArrayList<>();
        JsonNode value = body.get(name);
        if (value != null) for (JsonNode each : value) texts.add(each.asText());
        return texts;
    }

    /** A duration of the body; null: it is absent. */
    public @Nullable Duration duration(String name) {
        String text = text(name);
        if (text == null) return null;
        try {
            Duration read = Periods.parse(text);
            if (read.isNegative() || read.compareTo(LONGEST) > 0)
                throw new IllegalArgumentException(read + " is negative, or longer than a thousand years");
            return read;
        } catch (IllegalArgumentException e) {
            throw ApiProblemException.ofField(name, name + ": " + e.getMessage());
        }
    }

    /** A time; null: there is no text. */
    public static @Nullable Instant time(String name, @Nullable String text) {
        if (text == null) return null;
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeException e) {
            throw ApiProblemException.invalid(
                    name + " has to be a time such as 2026-11-25T14:00:00Z, not \"" + text + "\"");
        }
    }
}
