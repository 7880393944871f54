package dev.howdah.console.internal.job;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.form.FormFields;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import dev.howdah.job.query.JobSummary;
import dev.howdah.operations.value.Moments;
import dev.howdah.operations.value.Periods;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The form of a new job.
 *
 * @param job what was typed; null: something is wrong with it, or nothing was typed
 */
record JobForm(FormFields fields, @Nullable NewJob<String> job) {
    private static final String KIND = "kind";
    private static final String QUEUE = "queue";
    private static final String PAYLOAD = "payload";
    private static final String PRIORITY = "priority";
    private static final String RUN_AT = "run_at";
    private static final String DELAY = "delay";
    private static final String ATTEMPTS = "attempts";
    private static final String KEY = "key";
    private static final String TAGS = "tags";
    private static final String METADATA = "metadata";
    private static final List<String> NAMES =
            List.of(KIND, QUEUE, PAYLOAD, PRIORITY, RUN_AT, DELAY, ATTEMPTS, KEY, TAGS, METADATA);

    private static final ObjectMapper JSON = new ObjectMapper();

    /** As it is first shown. */
    static JobForm empty() {
        return new JobForm(new FormFields(NAMES, Map.of(PAYLOAD, "{}", PRIORITY, "0")::get), null);
    }

    /** With what a job has; not its key, which is its own, and not its time. */
    static JobForm of(JobSummary job) {
        Map<String, String> values = Map.of(
                KIND, job.kind(),
                QUEUE, job.queue(),
                PAYLOAD, Objects.requireNonNullElse(job.payload(), "null"),
                PRIORITY, Integer.toString(job.priority()),
                TAGS, String.join(", ", job.tags()),
                METADATA, Objects.requireNonNullElse(job.metadata(), ""));
        JobForm form = new JobForm(new FormFields(NAMES, values::get), null);
        if (job.payload() == null)
            form.fields.wrong(PAYLOAD, "the payload of job " + job.id() + " has been removed with the history");
        return form;
    }

    /** Reads what was typed. */
    static JobForm read(Function<String, @Nullable String> typed) {
        FormFields fields = new FormFields(NAMES, typed);
        List<NewJob<String>> job = new ArrayList<>();
        String kind = fields.given(KIND, "a job needs a kind");
        String payload = fields.text(PAYLOAD).isEmpty() ? "null" : fields.text(PAYLOAD);
        fields.json(PAYLOAD, payload);
        fields.attempt(KIND, () -> job.add(NewJob.of(Kind.of(kind == null ? "none" : kind, String.class), payload)));
        fields.use(QUEUE, queue -> job.replaceAll(each -> each.queue(queue)));
        fields.useNumber(PRIORITY, "a priority", -100, 100, level -> job.replaceAll(each -> each.priority(level)));
        fields.use(RUN_AT, time -> job.replaceAll(each -> each.runAt(Moments.parse(time))));
        if (!fields.text(RUN_AT).isEmpty() && !fields.text(DELAY).isEmpty())
            fields.wrong(DELAY, "a job has either a time or a delay, not both");
        fields.use(DELAY, time -> job.replaceAll(each -> each.delay(Periods.parse(time))));
        fields.useNumber(
                ATTEMPTS, "the number of attempts", 1, 10_000, most -> job.replaceAll(each -> each.maxAttempts(most)));
        fields.use(KEY, key -> job.replaceAll(each -> each.key(key)));
        fields.use(TAGS, tags -> job.replaceAll(each -> each.tags(tags(tags))));
        fields.use(METADATA, text -> job.replaceAll(each -> each.metadata(metadata(fields, text))));
        return new JobForm(fields, fields.errors().isEmpty() ? job.get(0) : null);
    }

    private static String[] tags(String typed) {
        return Arrays.stream(typed.split(","))
                .map(String::strip)
                .filter(each -> !each.isEmpty())
                .toArray(String[]::new);
    }

    private static Map<String, ?> metadata(FormFields fields, String text) {
        JsonNode json = fields.json(METADATA, text);
        if (json == null) return Map.of();
        if (!(json instanceof ObjectNode))
            throw new IllegalArgumentException("metadata are a JSON object such as {\"source\": \"import\"}");
        return JSON.convertValue(json, new com.fasterxml.jackson.core.type.TypeReference<Map<String, Object>>() {});
    }
}
