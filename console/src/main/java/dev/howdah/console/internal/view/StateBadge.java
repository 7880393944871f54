package dev.howdah.console.internal.view;

import java.util.Locale;

/**
 * A state as it is shown: never by colour alone.
 *
 * @param word for people
 * @param icon a character with an outline of its own
 * @param tone the colour: wait, run, done, retry, fail or pause
 * @param own the state's own name
 */
public record StateBadge(String word, String icon, String tone, String own) {
    /** The badge of a state of tasks, jobs, processes or sweeps. */
    public static StateBadge of(Enum<?> state) {
        String own = state.name();
        return switch (own) {
            case "PLAN", "PLANNED" -> new StateBadge("planned", "\u25f7", "wait", own);
            case "WAITING" -> new StateBadge("waiting", "\u25cb", "wait", own);
            case "HELD" -> new StateBadge("waiting for others", "\u25d4", "wait", own);
            case "RELEASED" -> new StateBadge("waiting or running", "\u25cc", "wait", own);
            case "ENDED" -> new StateBadge("ended", "\u2713", "done", own);
            case "SUSPENDED" -> new StateBadge("suspended", "\u25d1", "wait", own);
            case "FOLLOWING" -> new StateBadge("following", "\u25d4", "wait", own);
            case "TAKE" -> new StateBadge("starting", "\u25b6", "run", own);
            case "INIT" -> new StateBadge("starting", "\u25b6", "run", own);
            case "NEXT_STAGE" -> new StateBadge("went on to the next stage", "\u2713", "done", own);
            case "SNOOZED" -> new StateBadge("put off", "\u25f7", "wait", own);
            case "NODE_CRASHED" -> new StateBadge("its node crashed", "\u26a0", "fail", own);
            case "WORK", "RUNNING" -> new StateBadge("running", "\u25b6", "run", own);
            case "DONE", "FINISHED" -> new StateBadge("done", "\u2713", "done", own);
            case "RETRYING", "RETRIED" -> new StateBadge("retrying", "\u21bb", "retry", own);
            case "FAIL", "FAILED" -> new StateBadge("failed", "\u2715", "fail", own);
            case "BLOCKED" -> new StateBadge("blocked", "\u25d4", "wait", own);
            case "STOP", "CANCELLED", "STOPPED" -> new StateBadge("cancelled", "\u2298", "wait", own);
            case "PAUSED" -> new StateBadge("paused", "\u2016", "pause", own);
            case "GONE" -> new StateBadge("gone", "\u2300", "wait", own);
            case "ERROR" -> new StateBadge("broken", "\u26a0", "fail", own);
            default -> new StateBadge(own.toLowerCase(Locale.ROOT).replace('_', ' '), "\u25cb", "wait", own);
        };
    }
}
