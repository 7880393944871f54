package dev.howdah.reach.internal.http;

import dev.howdah.reach.internal.call.ReachFailure;
import dev.howdah.reach.internal.call.ReachFailure.Code;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The statuses with which a request is done: {@code 2xx}, or some of them with commas between. */
record Statuses(List<String> all) {
    static Statuses of(@Nullable String text) throws ReachFailure {
        List<String> all = text == null ? List.of("2xx") : Arrays.asList(text.split(",", -1));
        for (String each : all)
            if (!each.matches("[1-5]([0-9][0-9]|xx)"))
                throw ReachFailure.lasting(
                        Code.ADDRESS,
                        "the option ok is a list of statuses such as 2xx or 200,404, not \"" + text + "\"");
        return new Statuses(List.copyOf(all));
    }

    boolean has(int status) {
        return all.contains(status / 100 + "xx") || all.contains(Integer.toString(status));
    }
}
