package dev.howdah.process.command;

import dev.howdah.process.Intent;
import dev.howdah.process.Payload;
import dev.howdah.process.ProcessState;
import dev.howdah.process.ProcessTask;
import dev.howdah.process.Processor;
import dev.howdah.process.TaskType;
import dev.howdah.spi.TypeReference;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A processor that hands typed commands to their handlers, and everything else to another processor: timers, and calls that are no commands. A command that it does
 * not know, or whose arguments do not fit, is refused: the process does not break. Immutable; safe for use by many threads if the handlers are.
 *
 * <pre>{@code
 * Processor order = CommandProcessor.or((task, process) -> Intent.none())
 *         .on(PAY, (payment, task, process) -> Intent.none().event(payment).response(new Receipt(payment)));
 * }</pre>
 */
public final class CommandProcessor implements Processor {
    private static final Set<TaskType> ASKED = Set.of(TaskType.INIT, TaskType.CALL, TaskType.NOTIFY, TaskType.REPAIR);
    private static final TypeReference<CommandCall<Object>> ANY = new TypeReference<>() {};

    private final Processor others;
    private final Map<String, Entry<?>> handlers;

    /** Handles a command. */
    @FunctionalInterface
    public interface Handler<A> {
        /**
         * As {@link Processor#process}.
         *
         * @param args null for a command of {@code Void}
         */
        Intent process(A args, ProcessTask task, ProcessState process) throws Exception;
    }

    private record Entry<A>(Command<A, ?> command, Handler<A> handler) {
        @Nullable
        A args(ProcessTask task) {
            return command.args(task.args());
        }

        @SuppressWarnings("NullAway") // the arguments of a command of Void
        Intent process(@Nullable Object args, ProcessTask task, ProcessState process) throws Exception {
            @SuppressWarnings("unchecked")
            A typed = (A) args;
            return handler.process(typed, task, process);
        }
    }

    private CommandProcessor(Processor others, Map<String, Entry<?>> handlers) {
        this.others = others;
        this.handlers = handlers;
    }

    /** Makes a processor without commands. */
    public static CommandProcessor or(Processor others) {
        return new CommandProcessor(
                Objects.requireNonNull(others, "a processor for everything else is needed, not null"), Map.of());
    }

    /**
     * Returns a copy with the handler of a command.
     *
     * @throws IllegalArgumentException if there is one of that name
     */
    public <A> CommandProcessor on(Command<A, ?> command, Handler<A> handler) {
        Map<String, Entry<?>> all = new LinkedHashMap<>(handlers);
        if (all.put(command.name(), new Entry<>(command, handler)) != null)
            throw new IllegalArgumentException("the command " + command.name() + " has a handler already");
        return new CommandProcessor(others, Map.copyOf(all));
    }

    @Override
    public Intent process(ProcessTask task, ProcessState process) throws Exception {
        String name = ASKED.contains(task.type()) ? name(task.args()) : null;
        if (name == null) return others.process(task, process);
        Entry<?> entry = handlers.get(name);
        if (entry == null)
            return Intent.none().refuse("unknown command " + name + ", there are " + new TreeSet<>(handlers.keySet()));
        Object args;
        try {
            args = entry.args(task);
        } catch (IllegalArgumentException e) {
            return Intent.none().refuse("command " + name + ": " + e.getMessage());
        }
        return entry.process(args, task, process);
    }

    /** The name of the command; null: these arguments are none. */
    private static @Nullable String name(Payload args) {
        if (args.size() == 0) return null;
        try {
            return args.as(ANY).command();
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}
