package dev.howdah.process.command;

import dev.howdah.internal.text.NameText;
import dev.howdah.process.Payload;
import dev.howdah.process.ProcessException;
import dev.howdah.process.Processes;
import dev.howdah.process.Request;
import dev.howdah.spi.TypeReference;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A command that processes understand: its name in the database, and the types of its arguments and of the answer. Callers and the {@link CommandProcessor} share it.
 * Immutable.
 *
 * <pre>{@code
 * Command<Payment, Receipt> PAY = Command.of("pay", Payment.class, Receipt.class);
 * Receipt receipt = PAY.call(processes, "order", "7", payment);
 * }</pre>
 *
 * @param <A> the type of the arguments: a record, or another type that the codec can convert to JSON and back; {@code Void} for none
 * @param <R> the type of the answer; {@code Void} for none
 */
public final class Command<A, R> {
    private final String name;
    private final Class<A> args;
    private final Class<R> answer;
    private final TypeReference<CommandCall<A>> call;

    private Command(String name, Class<A> args, Class<R> answer) {
        if (name.isEmpty() || name.length() > 200)
            throw new IllegalArgumentException("the name of a command has 1 to 200 characters, not " + name.length());
        this.name = NameText.check("the name of a command", name);
        this.args = Objects.requireNonNull(args, "a command needs a type of its arguments, not null");
        this.answer = Objects.requireNonNull(answer, "a command needs a type of its answer, not null");
        this.call = call(args);
    }

    /**
     * Makes a command.
     *
     * @param name 1 to 200 characters; must not change when classes are renamed
     * @throws IllegalArgumentException if the name is empty, too long, or has a control character
     */
    public static <A, R> Command<A, R> of(String name, Class<A> args, Class<R> answer) {
        return new Command<>(name, args, answer);
    }

    @SuppressWarnings("unchecked") // that is the type it is made of
    private static <A> TypeReference<CommandCall<A>> call(Class<A> args) {
        return (TypeReference<CommandCall<A>>) TypeReference.of(new CallType(args));
    }

    /** The type of a call with these arguments. */
    private record CallType(Class<?> args) implements ParameterizedType {
        @Override
        public Type[] getActualTypeArguments() {
            return new Type[] {args};
        }

        @Override
        public Type getRawType() {
            return CommandCall.class;
        }

        @Override
        public @Nullable Type getOwnerType() {
            return null;
        }
    }

    /** The name. */
    public String name() {
        return name;
    }

    /**
     * Makes the request of a call, to set its key, timeout or context.
     *
     * @param value the arguments; null for a command of {@code Void}
     */
    public Request request(String namespace, String id, @Nullable A value) {
        return Request.of(namespace, id).args(new CommandCall<>(name, value));
    }

    /**
     * As {@link Processes#call}.
     *
     * @return the answer; null if there is none
     * @throws ProcessException as from {@link Processes#call}; also if the processor does not know the command
     */
    public @Nullable R call(Processes processes, String namespace, String id, @Nullable A value) {
        return answer(processes.call(request(namespace, id, value)));
    }

    /** As {@link Processes#init}, with a command for the first step. */
    public @Nullable R init(Processes processes, String namespace, String id, @Nullable A value) {
        return answer(processes.init(request(namespace, id, value)));
    }

    /** As {@link Processes#notify}. */
    public void notify(Processes processes, String namespace, String id, @Nullable A value) {
        processes.notify(request(namespace, id, value));
    }

    /**
     * Reads the answer of a call; null if there is none.
     *
     * @throws IllegalArgumentException if it does not fit the type
     */
    public @Nullable R answer(Payload payload) {
        return answer == Void.class || payload.size() == 0 ? null : payload.as(answer);
    }

    /** @throws IllegalArgumentException if they do not fit the type */
    @Nullable
    A args(Payload payload) {
        if (args == Void.class) return null;
        A value = payload.as(call).args();
        if (value == null)
            throw new IllegalArgumentException("the command " + name + " needs arguments: a " + args.getSimpleName());
        return value;
    }

    @Override
    public String toString() {
        return name + " (" + args.getTypeName() + ") -> " + answer.getTypeName();
    }
}
