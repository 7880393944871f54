package dev.howdah.process.internal.step;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of {@code step_commit} in {@code step.sql}: of each step, and of each event of all steps.
 *
 * @param numbers the steps' processes
 * @param turns the turns in which they were taken
 * @param timers whether the task of the step is a timer
 * @param letters see {@link StepDisposition#code}
 * @param types of the new timers
 * @param times when they are due, or
 * @param delays in how many microseconds
 * @param contexts of the new timers
 * @param again after which interval a timer is tried again, in microseconds
 * @param attempts of the timer
 * @param responses the answers
 * @param errors that are the answers
 * @param details what the step says of its error
 * @param corrupts whether the task has corrupted the process
 * @param states new aux states; null: unchanged
 * @param metadata new metadata; null: unchanged
 * @param lasts the last one of the step's events
 * @param stays whether the node goes on with the process
 * @param tell whether a notice is written
 * @param keeps whether it is noted since when the process has nothing to do
 * @param eventNumbers the events' processes
 * @param eventTasks the tasks that have made them
 * @param eventTell whether a notice of the event is written
 */
record CommitParameters(
        int node,
        Long[] numbers,
        Long[] turns,
        Long[] tasks,
        Boolean[] timers,
        String[] letters,
        @Nullable String[] types,
        @Nullable String[] times,
        Long[] delays,
        byte[] @Nullable [] contexts,
        Long[] again,
        Integer[] attempts,
        byte[] @Nullable [] responses,
        @Nullable String[] errors,
        @Nullable String[] details,
        Boolean[] corrupts,
        byte[] @Nullable [] states,
        @Nullable String[] metadata,
        Long[] lasts,
        Boolean[] stays,
        Boolean[] tell,
        Boolean[] keeps,
        Long[] eventNumbers,
        Long[] eventTasks,
        Long[] eventIds,
        @Nullable String[] eventTimes,
        byte[][] eventPayloads,
        @Nullable String[] eventMetadata,
        Boolean[] eventTell) {
    /** @param stay whether the node may go on with their processes */
    static CommitParameters of(int node, List<Step> steps, boolean stay) {
        int size = steps.size();
        Long[] numbers = new Long[size];
        Long[] turns = new Long[size];
        Long[] tasks = new Long[size];
        Boolean[] timers = new Boolean[size];
        String[] letters = new String[size];
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
        NewEvents events = new NewEvents();
        for (int i = 0; i < size; i++) {
            Step step = steps.get(i);
            StepResult outcome = step.outcome();
            StepResult.NewTimer timer = outcome.timer();
            numbers[i] = step.number();
            turns[i] = step.turn();
            tasks[i] = step.errand().id();
            timers[i] = step.errand().timer();
            letters[i] = String.valueOf(outcome.disposition().code());
            types[i] = timer == null ? null : timer.type();
            times[i] = timer == null ? null : NewEvents.time(timer.at());
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
        return new CommitParameters(
                node,
                numbers,
                turns,
                tasks,
                timers,
                letters,
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
                keeps,
                events.processes.toArray(Long[]::new),
                events.tasks.toArray(Long[]::new),
                events.ids.toArray(Long[]::new),
                events.times.toArray(String[]::new),
                events.payloads.toArray(byte[][]::new),
                events.metadata.toArray(String[]::new),
                events.tell.toArray(Boolean[]::new));
    }
}
