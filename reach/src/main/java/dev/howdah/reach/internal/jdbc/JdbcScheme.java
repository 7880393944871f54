package dev.howdah.reach.internal.jdbc;

import dev.howdah.reach.internal.call.AnswerText;
import dev.howdah.reach.internal.call.Call;
import dev.howdah.reach.internal.call.Credential;
import dev.howdah.reach.internal.call.ReachFailure;
import dev.howdah.reach.internal.call.ReachFailure.Code;
import dev.howdah.reach.internal.call.Scheme;
import dev.howdah.reach.internal.call.Target;
import dev.howdah.reach.internal.driver.DriverFrames;
import dev.howdah.reach.internal.probe.Probe;
import dev.howdah.reach.internal.probe.ProbeSteps;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Statements in databases that are named in the program's file: a row names neither a URL nor a property. The driver runs in a process of
 * its own, with the rights of the user that the file names. Safe for use by many threads.
 */
public final class JdbcScheme implements Scheme, Probe {
    private static final Logger log = LoggerFactory.getLogger(JdbcScheme.class);

    private static final int LARGEST_OUTPUT = 1 << 20;
    private static final int MOST_COLUMNS = 10_000;
    private static final String NO_DRIVER = "W1009";

    private final Supplier<NamedDatabases> databases;
    private final Supplier<@Nullable Path> drivers;
    private final DriverProcesses processes = new DriverProcesses();

    /**
     * @param databases that there are, now
     * @param drivers the folder of them, now; null if there is none
     */
    public JdbcScheme(Supplier<NamedDatabases> databases, Supplier<@Nullable Path> drivers) {
        this.databases = databases;
        this.drivers = drivers;
    }

    @Override
    public @Nullable String run(Call call) throws ReachFailure, IOException, InterruptedException {
        Target target = call.target();
        target.onlyOptions("autocommit");
        String option = target.option("autocommit");
        if (option != null && !option.equals("true") && !option.equals("false"))
            throw ReachFailure.lasting(Code.ADDRESS, "the option autocommit is true or false, not \"" + option + "\"");
        NamedDatabases.Database database = databases.get().of(target.host());
        List<String> statements = SqlSplitter.split(call.task().input(), database.hasBackslashes());
        if (statements.isEmpty()) return null;
        return run(call, database, !"true".equals(option), statements);
    }

    private @Nullable String run(
            Call call, NamedDatabases.Database database, boolean transaction, List<String> statements)
            throws ReachFailure, IOException, InterruptedException {
        Map<String, String> properties = new TreeMap<>(database.properties());
        login(call.credential(), properties);
        try (DriverProcesses.Lease lease = processes.lease(call, database, jars(call.target()))) {
            lease.process.run(database.url(), properties, transaction, statements);
            String output = new Answer(call, lease, statements).read();
            if (call.cancellation().isCancelled()) throw new InterruptedException();
            return output;
        }
    }

    @Override
    public void probe(Call call, ProbeSteps steps) throws ReachFailure, IOException, InterruptedException {
        steps.begin("database");
        NamedDatabases.Database database = databases.get().of(call.target().host());
        steps.done(database.url());
        steps.begin("login");
        run(call, database, false, List.of());
        steps.done(
                call.credential() == null
                        ? "without a login"
                        : "as " + call.credential().user());
    }

    private static void login(@Nullable Credential credential, Map<String, String> properties) throws ReachFailure {
        if (credential == null) return;
        if (credential.kind() != Credential.Kind.LOGIN)
            throw ReachFailure.lasting(
                    Code.CREDENTIAL,
                    "the credential \"" + credential.name() + "\" is none for databases: its kind has to be login");
        properties.put("user", String.valueOf(credential.user()));
        properties.put("password", credential.secret());
    }

    private List<List<String>> jars(Target target) throws ReachFailure {
        Path folder = drivers.get();
        try {
            List<List<String>> jars = folder == null ? List.of() : DriverJars.of(folder);
            if (!jars.isEmpty()) return jars;
        } catch (IllegalArgumentException e) {
            log.error("the drivers cannot be used: {}", e.getMessage());
            throw ReachFailure.lasting(
                    Code.PROGRAM, "the drivers cannot be used for " + target, null, "The log of the program says why.");
        }
        throw noDriver(target);
    }

    private static ReachFailure noDriver(Target target) {
        return ReachFailure.lasting(
                Code.PROGRAM,
                "there is no driver for " + target,
                null,
                "The administrator of the program can put its jar into the folder \"drivers\" beside the file of"
                        + " --reach.");
    }

    /** What a process says of a run. */
    private static final class Answer {
        private final Call call;
        private final DriverProcesses.Lease lease;
        private final List<String> statements;
        private final RowText text;
        private final DataInputStream from;
        private int left = LARGEST_OUTPUT;

        Answer(Call call, DriverProcesses.Lease lease, List<String> statements) {
            this.call = call;
            this.lease = lease;
            this.statements = statements;
            this.text = new RowText(call.task().rows());
            this.from = lease.process.output();
        }

        @Nullable
        String read() throws ReachFailure, IOException, InterruptedException {
            ReachFailure failure = null;
            try {
                List<RowText.Column> columns = List.of();
                for (int kind = from.readUnsignedByte(); kind != DriverFrames.END; kind = from.readUnsignedByte()) {
                    switch (kind) {
                        case DriverFrames.COLUMNS -> text.columns(columns = columns());
                        case DriverFrames.ROW -> text.row(values(columns.size()));
                        case DriverFrames.END_OF_ROWS -> text.end();
                        case DriverFrames.CHANGED -> changed(from.readInt(), from.readInt());
                        case DriverFrames.ERROR -> failure = error();
                        default -> throw new IOException("the process of the driver says what is not understood");
                    }
                }
            } catch (DriverFrames.OversizeException e) {
                throw ReachFailure.lasting(
                        Code.ANSWER, call.target() + " answered more than " + LARGEST_OUTPUT / 1024 + " KiB");
            } catch (EOFException e) {
                if (call.cancellation().isCancelled()) throw new InterruptedException();
                throw lease.process.lost();
            }
            if (!call.cancellation().isCancelled()) lease.clean();
            if (failure == null) return text.text();
            String before = text.endedText();
            throw before == null ? failure : failure.after(before);
        }

        private List<RowText.Column> columns() throws IOException {
            int count = from.readInt();
            if (count < 0 || count > MOST_COLUMNS) throw new DriverFrames.OversizeException();
            List<RowText.Column> columns = new ArrayList<>();
            for (int i = 0; i < count; i++) columns.add(new RowText.Column(String.valueOf(next()), from.readBoolean()));
            return columns;
        }

        private List<@Nullable String> values(int count) throws IOException {
            @Nullable String[] values = new String[count];
            for (int i = 0; i < count; i++) values[i] = next();
            return Arrays.asList(values);
        }

        /** The next text, of which there are not more than a row takes. */
        private @Nullable String next() throws IOException {
            String next = DriverFrames.read(from, left);
            left -= 1 + (next == null ? 0 : next.length());
            if (left < 0) throw new DriverFrames.OversizeException();
            return next;
        }

        private void changed(int statement, int count) throws IOException {
            if (statement < 0 || statement >= statements.size()) throw new DriverFrames.OversizeException();
            left -= 16;
            if (left < 0) throw new DriverFrames.OversizeException();
            text.tag(statements.get(statement), count);
        }

        private ReachFailure error() throws IOException {
            left = LARGEST_OUTPUT;
            String state = next();
            int vendor = from.readInt();
            String message = AnswerText.shown(next());
            String further = AnswerText.shown(next());
            boolean transitory = from.readBoolean();
            if (NO_DRIVER.equals(state)) return noDriver(call.target());
            String known = state != null && state.matches("[0-9A-Z]{5}") ? state : null;
            String detail = (known == null ? "" : "SQLSTATE " + known + ", ") + "code " + vendor
                    + (further == null ? "" : "; " + further);
            String error = message == null ? "the database has refused it without a reason" : message;
            ReachFailure failure = transitory || passes(state, vendor)
                    ? ReachFailure.passing(Code.STATEMENT, error, detail)
                    : ReachFailure.lasting(Code.STATEMENT, error, detail, null);
            return failure.code(known);
        }

        /** Lost connections, deadlocks, lack of resources, shutdowns and waits for locks; what SQLite says when another one writes. */
        private boolean passes(@Nullable String state, int vendor) {
            if (state != null) return state.matches("(08|40|53)...|57P..|HYT0[01]|90020");
            return vendor == 5 || vendor == 6;
        }
    }

    @Override
    public void close() {
        processes.close();
    }
}
