package dev.howdah.console.internal.api.job;

import dev.howdah.console.internal.api.ApiMask;
import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.console.internal.api.ApiRequest;
import dev.howdah.job.query.JobQuery;
import dev.howdah.job.query.JobState;
import dev.howdah.operations.Role;
import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads a filter of jobs: of the parameters of a list, or of the body of a change. */
final class JobFilter {
    private JobFilter() {}

    /** The texts of the fields by their names; null: it is absent. */
    interface Values {
        @Nullable
        String get(String name);
    }

    /** @throws ApiProblemException if a value cannot be, or the role may not search */
    static JobQuery read(Values values, Role role, ApiMask mask) {
        JobQuery query = JobQuery.in(state(values.get("state")));
        query = with(query, values.get("queue"), query::queue);
        query = with(query, values.get("kind"), query::kind);
        query = with(query, values.get("key"), query::key);
        query = with(query, values.get("tag"), query::tag);
        String error = values.get("error");
        if (error != null) {
            mask.checkSearch(role);
            query = query.error(error);
        }
        Instant from = ApiRequest.time("from", values.get("from"));
        if (from != null) query = query.from(from);
        Instant until = ApiRequest.time("until", values.get("until"));
        return until == null ? query : query.until(until);
    }

    private static JobQuery with(JobQuery query, @Nullable String value, Function<String, JobQuery> more) {
        return value == null ? query : more.apply(value);
    }

    private static JobState state(@Nullable String text) {
        if (text == null) return JobState.RUNNING;
        for (JobState each : JobState.values()) if (word(each).equals(text)) return each;
        throw ApiProblemException.invalid("state has to be one of "
                + Arrays.stream(JobState.values()).map(JobFilter::word).collect(Collectors.joining(", ")) + ", not \""
                + text + "\"");
    }

    /** As the API names it. */
    static String word(JobState state) {
        return state.name().toLowerCase(Locale.ROOT);
    }
}
