package dev.howdah.console.internal.audit;

import dev.howdah.console.internal.access.AccessLog;
import dev.howdah.console.internal.access.Caller;
import dev.howdah.console.internal.access.RateLimiter;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.page.ActionRequest;
import dev.howdah.console.internal.page.ActionResult;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.operations.Operation;
import dev.howdah.operations.OperationCall;
import dev.howdah.operations.Role;
import dev.howdah.operations.Subject;
import dev.howdah.operations.Values;
import dev.howdah.operations.store.AuditEntry;
import dev.howdah.operations.store.AuditStore;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes changes and logins to {@code howdah.audit}. The row of a change is committed before the change: if it cannot be written, the
 * change does not happen; a change without an outcome may have happened. Safe for use by many threads.
 */
public final class Audit implements AccessLog {
    private static final Logger log = LoggerFactory.getLogger(Audit.class);

    private static final double REFUSALS_PER_SECOND = 0.1;
    private static final int REFUSALS = 100;

    private final RateLimiter refusals = new RateLimiter(REFUSALS_PER_SECOND, REFUSALS, System::nanoTime);
    private final AuditStore store;
    private final AuditJson json;
    private final AuditedObjects objects;
    private final ConsoleData data;

    public Audit(AuditStore store, AuditJson json, ConsoleData data) {
        this.store = store;
        this.json = json;
        this.objects = new AuditedObjects(data);
        this.data = data;
    }

    /**
     * The question before an operation, by its object as it is.
     *
     * @param key of the object
     * @param given the values of the parameters
     */
    public String question(Operation operation, Values key, Values given) {
        return operation.question(new OperationCall(data, key, given));
    }

    /** A change that was written down and has not ended. */
    public interface Change {
        /** It has happened. */
        void done(String sentence);

        /** It has not happened, or not all of it. */
        void failed(String sentence);

        /** It has ended in the background. */
        default void over(ActionResult.End end) {
            if (end.isDone()) done(end.sentence());
            else failed(end.sentence());
        }
    }

    /**
     * Writes down that a form of a page is about to change something.
     *
     * @param operation that it calls; null: it is declared for pages only
     * @throws RuntimeException if it cannot be written
     */
    public Change begin(Caller caller, ActionRequest request, @Nullable Operation operation) {
        PageRequest page = request.page();
        if (operation != null) return begin(caller, operation, request::nameOrField, request.form());
        String before = json.of(objects.read(page));
        AuditEntry entry = entry(caller, action(page), object(page), before, json.ofForm(request.form()));
        return begin(entry, () -> before == null ? null : json.of(objects.read(page)));
    }

    /**
     * Writes down that an operation is about to change something.
     *
     * @param key the texts of the key of the object by name
     * @param sent what the caller sent, as it is
     * @throws RuntimeException if it cannot be written
     */
    public Change begin(
            Caller caller,
            Operation operation,
            Function<String, @Nullable String> key,
            Map<String, List<String>> sent) {
        Values object = key(operation, key);
        if (object == null) return begin(caller, operation.audit(), null, sent);
        String before = json.of(image(operation.subject(), object));
        AuditEntry entry =
                entry(caller, operation.audit(), operation.subject().object(object), before, json.ofForm(sent));
        return begin(entry, () -> before == null ? null : json.of(image(operation.subject(), object)));
    }

    /** Null: it names no object, which the change itself will say. */
    private static @Nullable Values key(Operation operation, Function<String, @Nullable String> key) {
        try {
            return Values.read(operation.subject().names(), key);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** Null: there is no such object, which the change itself will say, or it cannot be read. */
    private @Nullable Record image(Subject subject, Values object) {
        try {
            return subject.image().read(data, object);
        } catch (RuntimeException e) {
            log.debug("{} is not read for the audit table", subject.object(object), e);
            return null;
        }
    }

    /**
     * Writes down that a request is about to change something.
     *
     * @param action such as {@code jobs.cancel}
     * @param object its path, such as {@code jobs/42}; null: none
     * @param sent what the request says, as it is
     * @throws RuntimeException if it cannot be written
     */
    public Change begin(Caller caller, String action, @Nullable String object, Map<String, List<String>> sent) {
        return begin(entry(caller, action, object, null, json.ofForm(sent)), () -> null);
    }

    private interface Reader {
        @Nullable
        String read();
    }

    private Change begin(AuditEntry entry, Reader after) {
        long id = store.add(entry, "begun", null);
        return new Change() {
            @Override
            public void done(String sentence) {
                end(id, "done", sentence, after);
            }

            @Override
            public void failed(String sentence) {
                end(id, "failed", sentence, () -> null);
            }
        };
    }

    private void end(long id, String outcome, String sentence, Reader after) {
        try {
            store.end(id, outcome, json.text(sentence), after.read());
        } catch (RuntimeException e) {
            log.warn("the outcome of the change in row {} of the audit table is not written: {}", id, outcome, e);
        }
    }

    private AuditEntry entry(
            Caller caller, String action, @Nullable String object, @Nullable String before, @Nullable String after) {
        return new AuditEntry(
                json.text(caller.name()),
                caller.role().text(),
                caller.via().text(),
                caller.address(),
                action,
                object == null ? null : json.text(object),
                before,
                after);
    }

    @Override
    public void session(Caller caller, String action) {
        note(entry(caller, action, null, null, null), "done", null);
    }

    @Override
    public void refused(String name, Caller.Via via, String address, String action, String why) {
        AuditEntry entry =
                new AuditEntry(json.text(name), null, via.text(), address, json.text(action), null, null, null);
        note(entry, "refused", why);
    }

    /** Writes down that a caller lacks the role for a change. */
    public void refused(Caller caller, ActionRequest request, @Nullable Operation operation, Role needed) {
        PageRequest page = request.page();
        if (operation == null) refused(caller, action(page), object(page), needed);
        else refused(caller, operation, request::nameOrField, needed);
    }

    /** Writes down that a caller lacks the role for an operation. */
    public void refused(Caller caller, Operation operation, Function<String, @Nullable String> key, Role needed) {
        Values object = key(operation, key);
        refused(
                caller,
                operation.audit(),
                object == null ? null : operation.subject().object(object),
                needed);
    }

    @Override
    public void refused(Caller caller, String action, @Nullable String object, Role needed) {
        // A caller that tries on and on must not fill a table whose rows cannot be deleted for a month.
        if (!refusals.take(caller.name())) return;
        note(entry(caller, action, object, null, null), "refused", "needs the role " + needed.text());
    }

    private void note(AuditEntry entry, String outcome, @Nullable String message) {
        try {
            store.add(entry, outcome, message);
        } catch (RuntimeException e) {
            log.warn(
                    "{} by {} ({}) is not written to the audit table: {}",
                    entry.action(),
                    entry.actor(),
                    outcome,
                    e.getMessage());
        }
    }

    /** Such as {@code tasks.cancel} of {@code /tasks/42/cancel}. */
    private static String action(PageRequest page) {
        String[] segments = page.path().split("/", -1);
        return decoded(segments[1]) + "." + (isVerb(page) ? segments[segments.length - 1] : "start");
    }

    /** Such as {@code tasks/42} of {@code /tasks/42/cancel}. */
    private static @Nullable String object(PageRequest page) {
        List<String> segments = Arrays.stream(page.path().split("/", -1))
                .skip(1)
                .map(Audit::decoded)
                .collect(Collectors.toList());
        if (isVerb(page)) segments.remove(segments.size() - 1);
        String table = page.text("table");
        String object = String.join("/", segments);
        return segments.size() < 2 ? null : table == null ? object : object + " of " + table;
    }

    /** Whether the path ends with what is done: all do, but that on which a process is started. */
    private static boolean isVerb(PageRequest page) {
        return !(page.path().startsWith("/processes/") && page.names().size() == 1);
    }

    private static String decoded(String segment) {
        return URLDecoder.decode(segment.replace("+", "%2B"), StandardCharsets.UTF_8);
    }
}
