package dev.howdah.process.internal.step;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The parameters of {@code step_commit} in {@code step.sql}. */
public final class CommitParameters {
    private CommitParameters() {}

    /** @param stay whether the node may go on with their processes */
    static @Nullable Object[] of(int node, List<Step> steps, boolean stay) {
        int size = steps.size();
        Long[] numbers = new Long[size];
        Long[] turns = new Long[size];
        Long[] tasks = new Long[size];
        Boolean[] timers = new Boolean[size];
        String[] codes = new String[size];
        @Nullable String[] types = new @Nullable String[size];
        @Nullable String[] times = new @Nullable String[size];
        Long[] delays = new Long[size];
        byte[] @Nullable [] contexts = new byte[size][];
        Long[] again = new Long[size];
        Integer[] attempts = new Integer[size];
        byte[] @Nullable [] responses = new byte[size][];
        @Nullable String[] errors = new @Nullable String[size];
        @Nullable String[] details = new @Nullable String[size];
        Boolean[] corrupts = new Boolean[size];
        byte[] @Nullable [] states = new byte[size][];
        @Nullable String[] metadata = new @Nullable String[size];
        Long[] lasts = new Long[size];
        Boolean[] stays = new Boolean[size];
        Boolean[] tell = new Boolean[size];
        Boolean[] keeps = new Boolean[size];
        Events events = new Events();
        for (int i = 0; i < size; i++) {
            Step step = steps.get(i);
            StepResult outcome = step.outcome();
            StepResult.NewTimer timer = outcome.timer();
            numbers[i] = step.number();
            turns[i] = step.turn();
            tasks[i] = step.errand().id();
            timers[i] = step.errand().timer();
            codes[i] = String.valueOf(outcome.disposition().code());
            types[i] = timer == null ? null : timer.type();
            times[i] = timer == null ? null : time(timer.at());
            delays[i] = timer == null ? 0 : timer.delayMicros();
            contexts[i] = outcome.disposition() == StepDisposition.SCHEDULED
                    ? step.errand().context().bytes()
                    : null;
            again[i] = timer == null ? 0 : timer.againMicros();
            attempts[i] = timer == null ? 0 : Math.min(timer.attempts(), Short.MAX_VALUE);
            responses[i] = outcome.response();
            errors[i] = outcome.error();
            details[i] = outcome.detail();
            corrupts[i] = outcome.corrupts();
            states[i] = outcome.auxState();
            metadata[i] = outcome.metadata();
            stays[i] = stay && step.served().mayStay(step.chain());
            tell[i] = step.served().namespace().outbox();
            keeps[i] = step.served().namespace().retention() != null;
            lasts[i] = events.add(numbers[i], tasks[i], tell[i], outcome.events());
        }
        return new @Nullable Object[] {
            node,
            numbers,
            turns,
            tasks,
            timers,
            codes,
            types,
            times,
            delays,
            contexts,
            again,
            attempts,
            responses,
            errors,
            details,
            corrupts,
            states,
            metadata,
            lasts,
            stays,
            tell,
            events.processes.toArray(Long[]::new),
            events.tasks.toArray(Long[]::new),
            events.ids.toArray(Long[]::new),
            events.times.toArray(String[]::new),
            events.payloads.toArray(byte[][]::new),
            events.metadata.toArray(String[]::new),
            events.tell.toArray(Boolean[]::new),
            keeps
        };
    }

    /** As PostgreSQL reads it; null stays null. */
    static @Nullable public String time(@Nullable Instant at) {
        return at == null ? null : at.toString();
    }

    /** The events of all steps, one after the other. */
    public static final class Events {
        final List<Long> processes = new ArrayList<>();
        final List<Long> tasks = new ArrayList<>();
        final List<Boolean> tell = new ArrayList<>();
        public final List<Long> ids = new ArrayList<>();
        public final List<@Nullable String> times = new ArrayList<>();
        public final List<byte[]> payloads = new ArrayList<>();
        public final List<@Nullable String> metadata = new ArrayList<>();

        /** Returns the last of their ids; 0 if there is none. */
        public long add(long process, long task, boolean told, List<StepResult.NewRow> rows) {
            long last = 0;
            for (StepResult.NewRow each : rows) {
                processes.add(process);
                tasks.add(task);
                tell.add(told);
                ids.add(each.id());
                times.add(time(each.at()));
                payloads.add(each.payload());
                metadata.add(each.metadata());
                last = Math.max(last, each.id());
            }
            return last;
        }
    }
}
