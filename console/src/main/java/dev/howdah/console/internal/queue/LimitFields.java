package dev.howdah.console.internal.queue;

import dev.howdah.console.internal.form.Periods;
import dev.howdah.console.internal.page.BadRequestException;
import dev.howdah.job.limit.JobLimits;
import dev.howdah.job.limit.LimitScope;
import dev.howdah.job.limit.Rate;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A limit of a queue as a form or a request of the API has it: the same fields mean the same in both.
 *
 * @param fields by name; null: it is empty
 */
public record LimitFields(String queue, Function<String, @Nullable String> fields) {
    private static final int MOST = 1_000_000;

    private @Nullable String text(String name) {
        String value = fields.apply(name);
        return value == null || value.isBlank() ? null : value.strip();
    }

    private boolean isOn(String name) {
        String value = text(name);
        return value != null && !value.equals("false");
    }

    private String given(String name, String words) {
        String value = text(name);
        if (value == null) throw new BadRequestException(name + " is missing: " + words);
        return value;
    }

    private int number(String name, String words, int most) {
        String value = given(name, words);
        if (value.matches("\\d{1,9}") && Integer.parseInt(value) >= 1 && Integer.parseInt(value) <= most)
            return Integer.parseInt(value);
        throw new BadRequestException(name + " has to be a number from 1 to " + most + ", not \"" + value + "\"");
    }

    private Duration period(String name, String words) {
        return Periods.parse(given(name, words));
    }

    private LimitScope scope() {
        return new LimitScope(queue, text("kind"), text("group"), isOn("each_group"));
    }

    /** How many jobs run at the same time. */
    public void setConcurrency(JobLimits limits) {
        int jobs = number("jobs", "how many run at the same time", MOST);
        if (isOn("each_node")) limits.setNodeConcurrency(scope(), jobs);
        else limits.setConcurrency(scope(), jobs);
    }

    /** How many jobs begin within a period. */
    public void setRate(JobLimits limits) {
        int jobs = number("jobs", "how many begin within the period", MOST);
        Rate rate = Rate.of(jobs, period("period", "in which so many begin, such as 1 min"));
        if (text("burst") != null) rate = rate.burst(number("burst", "how many begin at once", MOST));
        limits.setRate(scope(), rate);
    }

    /** What a group gets in proportion to the others. */
    public void setShare(JobLimits limits) {
        String group = given("group", "whose share it is");
        String share = given("share", "0.001 to 1000; that of other groups is 1");
        try {
            limits.setShare(queue, group, Double.parseDouble(share));
        } catch (NumberFormatException e) {
            throw new BadRequestException("share has to be a number from 0.001 to 1000, not \"" + share + "\"");
        }
    }

    /** How jobs rise in priority while they wait. */
    public void setAgeing(JobLimits limits) {
        Duration every = period("every", "how long a job waits for each step, such as 10 min");
        limits.setAgeing(queue, every, text("most") == null ? 10 : number("most", "by how much they rise", 200));
    }

    /** Removes the limit of the field {@code setting}. */
    public void remove(JobLimits limits) {
        String setting = given("setting", "concurrency, rate, share or ageing");
        switch (setting) {
            case "concurrency" -> {
                if (isOn("each_node")) limits.removeNodeConcurrency(scope());
                else limits.removeConcurrency(scope());
            }
            case "rate" -> {
                if (text("period") == null) limits.removeRates(scope());
                else limits.removeRate(scope(), period("period", ""));
            }
            case "share" -> limits.setShare(queue, given("group", "whose share it is"), 1);
            case "ageing" -> limits.removeAgeing(queue);
            default ->
                throw new BadRequestException(
                        "setting has to be one of concurrency, rate, share, ageing, not \"" + setting + "\"");
        }
    }

    /**
     * The fields that name a limit where it is removed, as {@link QueueLimit#fields} has them.
     *
     * @param setting such as {@code rate}
     */
    Map<String, String> naming(String setting) {
        Map<String, String> naming = new LinkedHashMap<>();
        naming.put("setting", setting);
        if (setting.equals("ageing")) return naming;
        String group = text("group");
        if (group != null) naming.put("group", group);
        if (setting.equals("share")) return naming;
        String kind = text("kind");
        if (kind != null) naming.put("kind", kind);
        if (isOn("each_group")) naming.put("each_group", "true");
        if (setting.equals("concurrency") && isOn("each_node")) naming.put("each_node", "true");
        if (setting.equals("rate") && text("period") != null)
            naming.put("period", period("period", "").toString());
        return naming;
    }
}
