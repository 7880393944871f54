package dev.howdah.operations;

import dev.howdah.job.JobsException;
import dev.howdah.sweep.SweepException;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A change of one object, as it is declared for all faces. Immutable and safe for use by many threads. */
public final class Operation {
    /** What a sentence has in braces. */
    private static final Pattern NAME = Pattern.compile("\\{([a-z_]+)}");

    /** So begin messages about an object that does not exist. */
    private static final String NONE = "there is no ";

    private static final String UNDEFINED_OBJECT = "42704";

    private final Builder declared;

    private Operation(Builder declared) {
        this.declared = declared;
    }

    /** What an operation does. */
    @FunctionalInterface
    public interface Work {
        ChangeOutcome run(OperationCall call);
    }

    /**
     * Declares an operation.
     *
     * @param verb in paths and commands, such as {@code run-now}
     * @param role that a caller needs
     * @param help one sentence for the help of the command and the reference of the API
     */
    public static Builder of(Subject subject, String verb, Role role, String help) {
        return new Builder(subject, verb, role, help);
    }

    /** The declaration of an operation. Not safe for use by many threads. */
    public static final class Builder {
        private final Subject subject;
        private final String verb;
        private final Role role;
        private final String help;
        private String id;
        private String command;
        private List<Parameter<?>> parameters = List.of();
        private List<Parameter<?>> results = List.of();
        private BiFunction<Values, Values, String> target;
        private Consumer<Values> check = values -> {};
        private String question = "";
        private @Nullable Function<OperationCall, String> asked;
        private String done = "{target} was changed.";
        private String already = "{target} was not changed.";
        private String questionOfMany = "";
        private String doneWithMany = "";
        private boolean isRemoval;
        private boolean endsWork;
        private boolean losesData;
        private boolean isAddition;
        private boolean isKeyAsked;
        private @Nullable Role program;

        private @Nullable Work work;

        private Builder(Subject subject, String verb, Role role, String help) {
            this.subject = subject;
            this.verb = verb;
            this.role = role;
            this.help = help;
            this.id = camel(verb) + camel("-" + subject.one().replace(' ', '-'));
            this.command = subject.command() + " " + verb;
            this.target = (key, values) -> subject.words(key);
        }

        /** The name for generated clients, where the verb and the subject do not read well. */
        public Builder id(String name) {
            id = name;
            return this;
        }

        /** The words of the command, where they are not those of the subject and the verb. */
        public Builder command(String words) {
            command = words;
            return this;
        }

        public Builder takes(Parameter<?>... declared) {
            parameters = List.of(declared);
            return this;
        }

        public Builder returns(Parameter<?>... declared) {
            results = List.of(declared);
            return this;
        }

        /** Refuses values that are not possible together, by a {@link ParameterException}. */
        public Builder check(Consumer<Values> values) {
            check = values;
            return this;
        }

        /** What {@code {target}} stands for, by the key and the parameters, where it is more than the object. */
        public Builder target(BiFunction<Values, Values, String> words) {
            target = words;
            return this;
        }

        /** The question before it, on a page; {@code {target}} is the object. */
        public Builder ask(String words) {
            question = words;
            return this;
        }

        /** The question before it, on a page, where it depends on the object as it is; empty: none. */
        public Builder ask(Function<OperationCall, String> words) {
            asked = words;
            return this;
        }

        /** The sentences after it: if something was changed, and if nothing had to be. */
        public Builder say(String ifDone, String ifAlready) {
            done = ifDone;
            already = ifAlready;
            return this;
        }

        /**
         * The question before it and the sentence after it, where it is for many objects at once; {@code {target}} is such as
         * {@code 3 jobs}, and {@code {name}} the value of a parameter.
         */
        public Builder many(String ask, String ifDone) {
            questionOfMany = ask;
            doneWithMany = ifDone;
            return this;
        }

        /** The operation ends work that would be done without it. */
        public Builder endsWork() {
            endsWork = true;
            return this;
        }

        /** The operation loses something that nothing brings back, although the object stays. */
        public Builder losesData() {
            losesData = true;
            return this;
        }

        /** The object is gone afterwards. */
        public Builder removes() {
            isRemoval = true;
            return this;
        }

        /** Each call adds something, in the transaction of its caller if that has one: the API takes an {@code Idempotency-Key}. */
        public Builder adds() {
            isAddition = true;
            return this;
        }

        /** Programs of that role may do it too, with jobs of their queues. */
        public Builder alsoFor(Role of) {
            program = of;
            return this;
        }

        /** A form on a page asks for the key of the object too, which need not exist. */
        public Builder asksForKey() {
            isKeyAsked = true;
            return this;
        }

        public Operation does(Work change) {
            work = change;
            return new Operation(this);
        }
    }

    /** Words with hyphens as a name in Java. */
    private static String camel(String words) {
        StringBuilder name = new StringBuilder();
        for (String each : words.split("-", -1))
            name.append(name.length() == 0 && !words.startsWith("-") ? each : capitalized(each));
        return name.toString();
    }

    private static String capitalized(String word) {
        return word.isEmpty() ? "" : word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1);
    }

    public Subject subject() {
        return declared.subject;
    }

    /** The role of programs that may do it with jobs of their queues; null: none. */
    public @Nullable Role program() {
        return declared.program;
    }

    /** The last part of its paths, such as {@code run-now}. */
    public String verb() {
        return declared.verb;
    }

    public Role role() {
        return declared.role;
    }

    /** One sentence for the help of the command and the reference of the API. */
    public String help() {
        return declared.help;
    }

    /** The name for generated clients, such as {@code pauseSweep}. */
    public String id() {
        return declared.id;
    }

    /** The words of the command, such as {@code sweep pause}. */
    public List<String> command() {
        return Arrays.asList(declared.command.split(" ", -1));
    }

    /** The action in the audit table, such as {@code sweeps.pause}. */
    public String audit() {
        return declared.subject.many().replace('/', '-') + "." + declared.verb;
    }

    public List<Parameter<?>> parameters() {
        return declared.parameters;
    }

    /** The values that it returns, besides whether something was changed. */
    public List<Parameter<?>> results() {
        return declared.results;
    }

    /** The words of its button, such as {@code Retry failed}. */
    public String label() {
        return capitalized(declared.verb.replace('-', ' '));
    }

    /** Whether the object is gone afterwards. */
    public boolean isRemoval() {
        return declared.isRemoval;
    }

    /** Whether each call adds something. */
    public boolean isAddition() {
        return declared.isAddition;
    }

    /** Whether a form on a page asks for the key of the object too, which need not exist. */
    public boolean isKeyAsked() {
        return declared.isKeyAsked;
    }

    /**
     * Reads the values of its parameters from texts.
     *
     * @param given the text of a parameter by its name; null or blank: none
     * @throws ParameterException if a value is missing or not possible
     */
    public Values read(Function<String, @Nullable String> given) {
        Values values = Values.read(declared.parameters, given);
        declared.check.accept(values);
        return values;
    }

    /** The question before it, on a page; empty: none, or it depends on the object. */
    public String question(Values key, Values values) {
        return sentence(declared.question, key, values);
    }

    /** The question before it, for several objects such as {@code 3 jobs} or {@code job 42}. */
    public String question(String target, boolean isOne, Values values) {
        return sentence(isOne ? declared.question : declared.questionOfMany, target, values);
    }

    /** The sentence after it, for several objects such as {@code 3 jobs} or {@code job 42}. */
    public String done(String target, boolean isOne, Values values) {
        return sentence(isOne ? declared.done : declared.doneWithMany, target, values);
    }

    /** Whether the operation loses something that nothing brings back: its button is a warning. */
    public boolean isLoss() {
        return declared.losesData || declared.isRemoval;
    }

    /** Whether the operation ends work or loses something: a question comes before a change of many objects. */
    public boolean isDangerous() {
        return declared.endsWork || isLoss();
    }

    /** The question before it, by the object as it is; empty: none. */
    public String question(OperationCall call) {
        Function<OperationCall, String> asked = declared.asked;
        return asked == null ? question(call.key(), call.values()) : asked.apply(call);
    }

    /** Whether its question depends on the object as it is. */
    public boolean isAskedByObject() {
        return declared.asked != null;
    }

    /**
     * Calls the operation.
     *
     * @return with a sentence
     * @throws IllegalArgumentException if a value is not possible
     * @throws RuntimeException if the database fails
     */
    public ChangeOutcome run(OperationCall call) {
        Work work = declared.work;
        if (work == null) throw new IllegalStateException(audit() + " does nothing");
        ChangeOutcome outcome;
        try {
            outcome = work.run(call);
        } catch (SweepException | JobsException e) {
            // A message of the engine is no template: a name in it may have braces.
            String words = String.valueOf(e.getMessage());
            int missing = words.indexOf(NONE);
            boolean isOfServer = e.getCause() != null;
            if (isOfServer && (missing < 0 || !isUndefined(e.getCause()))) throw e;
            return isOfServer || missing == 0
                    ? ChangeOutcome.missing(ended(words.substring(missing)))
                    : ChangeOutcome.refused(ended(words));
        }
        String words = outcome.sentence();
        if (words.isEmpty()) {
            String said = outcome.kind() == ChangeOutcome.Kind.DONE ? declared.done : declared.already;
            return outcome.said(sentence(said, call.key(), call.values()));
        }
        return outcome.said(ended(words.replace("{target}", declared.target.apply(call.key(), call.values()))));
    }

    /** A sentence as pages show it. */
    private static String ended(String words) {
        return capitalized(words.endsWith(".") ? words : words + ".");
    }

    /** Whether a function of Howdah found no such object. */
    private static boolean isUndefined(@Nullable Throwable cause) {
        return cause instanceof SQLException e && UNDEFINED_OBJECT.equals(e.getSQLState());
    }

    private String sentence(String words, Values key, Values values) {
        return words.isEmpty() ? "" : sentence(words, declared.target.apply(key, values), values);
    }

    private static String sentence(String words, String target, Values values) {
        Map<String, String> texts = values.texts();
        return capitalized(NAME.matcher(words).replaceAll(name -> {
            String word = name.group(1);
            return Matcher.quoteReplacement(word.equals("target") ? target : texts.getOrDefault(word, name.group()));
        }));
    }

    @Override
    public String toString() {
        return audit();
    }
}
