package dev.howdah.job;

import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlFile;
import dev.howdah.internal.trace.Tracing;
import dev.howdah.spi.PayloadCodec;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes jobs. Safe for use by many threads, each with a connection of its own. */
final class Adder {
    private static final SqlFile ADD = SqlFile.of(Adder.class, "add.sql");
    private static final Sql ADD_ONE = ADD.statement("add_one");
    private static final Sql ADD_LARGE = ADD.statement("add_large");
    private static final Sql ADD_ALIKE = ADD.statement("add_alike");
    private static final Sql ADD_MANY = ADD.statement("add_many");
    private static final Sql ADD_KEYED = ADD.statement("add_keyed");
    private static final Sql TRACE = ADD.statement("trace");
    /** Within that trace; nothing that is added later in the same transaction belongs to it. */
    private static final Sql ADD_KEYED_TRACED = TRACE.then(ADD_KEYED).then(TRACE);

    private static final Sql ADD_ORDERED = Turns.ORDER.statement("add");
    private static final Tracing TRACING = Tracing.find(Adder.class);
    private static final int STEP = 5_000;

    private final Lanes lanes;
    private final PayloadCodec codec;

    Adder(Lanes lanes, PayloadCodec codec) {
        this.lanes = lanes;
        this.codec = codec;
    }

    /** @throws IllegalArgumentException if the payload cannot be said in JSON */
    <T> Ticket ticket(NewJob<T> job) throws SQLException {
        return ticket(job, codec.encode(job.payload()));
    }

    /** With that payload, which is JSON already. */
    Ticket ticket(NewJob<?> job, String payload) throws SQLException {
        Lane lane = lanes.forJob(job.queueName(), job.kind().name(), job.priorityValue());
        String at = job.moment() == null ? null : job.moment().toString();
        return new Ticket(
                lane,
                job.kind().name(),
                job.priorityValue(),
                at,
                Delays.micros(job.delayTime()),
                payload,
                Ticket.Unusual.of(job, TRACING.current()));
    }

    /** How a statement is run: on a connection of the caller's, or in a session of ours, where it stays prepared. */
    private interface Runner {
        <T> T run(Reader<T> reader, Sql sql, @Nullable Object... values) throws SQLException;

        /** The numbers in the first column of all rows. */
        default List<Long> run(Sql sql, @Nullable Object... values) throws SQLException {
            return run(Adder::numbers, sql, values);
        }
    }

    private interface Reader<T> {
        T read(ResultSet rows) throws SQLException;
    }

    private static Runner on(Connection connection) {
        return new Runner() {
            @Override
            public <T> T run(Reader<T> reader, Sql sql, @Nullable Object... values) throws SQLException {
                try (PreparedStatement statement = sql.prepare(connection, values);
                        ResultSet rows = statement.executeQuery()) {
                    return reader.read(rows);
                }
            }
        };
    }

    private static Runner on(JobSession session) {
        return new Runner() {
            @Override
            public <T> T run(Reader<T> reader, Sql sql, @Nullable Object... values) throws SQLException {
                try (ResultSet rows = session.query(sql, values)) {
                    return reader.read(rows);
                }
            }
        };
    }

    private static List<Long> numbers(ResultSet row) throws SQLException {
        List<Long> numbers = new ArrayList<>();
        while (row.next()) numbers.add(row.getLong(1));
        return numbers;
    }

    /** The numbers of an array as PostgreSQL writes it, which is all there is. */
    private static List<Long> array(ResultSet row) throws SQLException {
        List<Long> numbers = new ArrayList<>();
        row.next();
        String text = row.getString(1);
        long number = 0;
        for (int i = 1; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c >= '0' && c <= '9') {
                number = number * 10 + (c - '0');
            } else {
                numbers.add(number);
                number = 0;
            }
        }
        return numbers;
    }

    /** Adds one in the transaction of that connection; returns its number. */
    long add(Connection connection, Ticket ticket) throws SQLException {
        return ticket.isKeyed() ? offer(connection, ticket).id() : add(on(connection), ticket);
    }

    /** Adds one; returns its number when it is durable. */
    long add(JobSession session, Ticket ticket) throws SQLException {
        return add(on(session), ticket);
    }

    /** Adds one in the transaction of that connection, unless the key says no. */
    Added offer(Connection connection, Ticket ticket) throws SQLException {
        Ticket.Unusual unusual = ticket.unusual();
        if (unusual == null || unusual.key() == null) return new Added(add(connection, ticket), true);
        @Nullable
        Object[] values = {
            ticket.lane().queue(),
            ticket.kind(),
            ticket.payload(),
            ticket.priority(),
            ticket.at(),
            ticket.at() == null && ticket.delayMicros() > 0 ? ticket.delayMicros() : null,
            unusual.key(),
            unusual.version(),
            unusual.attempts() == 0 ? null : unusual.attempts(),
            unusual.timeoutMicros() == 0 ? null : unusual.timeoutMicros()
        };
        if (unusual.trace() == null) return offer(ADD_KEYED.prepare(connection, values), 0);
        @Nullable Object[] traced = new @Nullable Object[values.length + 2];
        traced[0] = unusual.trace();
        System.arraycopy(values, 0, traced, 1, values.length);
        return offer(ADD_KEYED_TRACED.prepare(connection, traced), 1);
    }

    /** What came of it stands in that result of the statement, which is closed then. */
    private static Added offer(PreparedStatement statement, int result) throws SQLException {
        try (statement) {
            statement.execute();
            for (int i = 0; i < result; i++) statement.getMoreResults();
            try (ResultSet row = statement.getResultSet()) {
                row.next();
                return new Added(row.getLong(1), row.getBoolean(2));
            }
        }
    }

    /** Adds many in the transaction of that connection; returns their numbers in their order. */
    List<Long> addAll(Connection connection, List<Ticket> tickets) throws SQLException {
        if (tickets.stream().noneMatch(Ticket::isKeyed)) return addAll(on(connection), tickets);
        List<Long> ids = new ArrayList<>(tickets.size());
        for (int from = 0; from < tickets.size(); ) {
            int to = from;
            while (to < tickets.size() && !tickets.get(to).isKeyed()) to++;
            if (to > from) ids.addAll(addAll(on(connection), tickets.subList(from, to)));
            if (to < tickets.size()) ids.add(add(connection, tickets.get(to++)));
            from = to;
        }
        return ids;
    }

    /** Adds many; returns their numbers in their order. */
    List<Long> addAll(JobSession session, List<Ticket> tickets) throws SQLException {
        return addAll(on(session), tickets);
    }

    private static long add(Runner runner, Ticket ticket) throws SQLException {
        if (ticket.order() != null) return addOrdered(runner, List.of(ticket)).get(0);
        return runner.run(
                        ticket.isLarge() ? ADD_LARGE : ADD_ONE,
                        ticket.lane().id(),
                        ticket.kind(),
                        ticket.priority(),
                        ticket.at(),
                        ticket.delayMicros(),
                        ticket.payload(),
                        ticket.more())
                .get(0);
    }

    private static List<Long> addAll(Runner runner, List<Ticket> tickets) throws SQLException {
        List<Long> ids = new ArrayList<>(tickets.size());
        for (int from = 0; from < tickets.size(); ) {
            int to = from;
            boolean ordered = tickets.get(from).order() != null;
            while (to < tickets.size() && to - from < STEP && fits(tickets.get(to), ordered)) to++;
            if (to > from && ordered) ids.addAll(addOrdered(runner, tickets.subList(from, to)));
            else if (to > from) addStep(runner, tickets.subList(from, to), ids);
            else ids.add(add(runner, tickets.get(to++)));
            from = to;
        }
        return ids;
    }

    /** Whether a ticket goes with others of its sort: those with an order key, or plain ones. Each large one goes alone. */
    private static boolean fits(Ticket ticket, boolean ordered) {
        return ordered ? ticket.order() != null : ticket.order() == null && !ticket.isLarge();
    }

    private static List<Long> addOrdered(Runner runner, List<Ticket> tickets) throws SQLException {
        return runner.run(
                ADD_ORDERED,
                tickets.stream().map(each -> each.lane().id()).toArray(Integer[]::new),
                tickets.stream().map(Ticket::kind).toArray(String[]::new),
                tickets.stream().map(Ticket::priority).toArray(Integer[]::new),
                tickets.stream().map(Ticket::at).toArray(String[]::new),
                tickets.stream().map(Ticket::delayMicros).toArray(Long[]::new),
                tickets.stream().map(Ticket::payload).toArray(String[]::new),
                tickets.stream().map(Ticket::more).toArray(String[]::new),
                tickets.stream().map(Ticket::isLarge).toArray(Boolean[]::new),
                tickets.stream().map(each -> each.lane().queue()).toArray(String[]::new),
                tickets.stream().map(Ticket::order).toArray(String[]::new));
    }

    private static void addStep(Runner runner, List<Ticket> tickets, List<Long> ids) throws SQLException {
        int size = tickets.size();
        Ticket first = tickets.get(0);
        String[] payload = new String[size];
        boolean alike = true;
        for (int i = 0; i < size; i++) {
            Ticket ticket = tickets.get(i);
            payload[i] = ticket.payload();
            alike &= first.isLike(ticket);
        }
        if (alike) {
            ids.addAll(runner.run(
                    Adder::array,
                    ADD_ALIKE,
                    first.lane().id(),
                    first.kind(),
                    first.priority(),
                    first.at(),
                    first.delayMicros(),
                    payload,
                    first.more()));
            return;
        }
        Integer[] lane = new Integer[size];
        String[] kind = new String[size];
        Integer[] priority = new Integer[size];
        @Nullable String[] at = new @Nullable String[size];
        Long[] delay = new Long[size];
        @Nullable String[] more = new @Nullable String[size];
        for (int i = 0; i < size; i++) {
            Ticket ticket = tickets.get(i);
            lane[i] = ticket.lane().id();
            kind[i] = ticket.kind();
            priority[i] = ticket.priority();
            at[i] = ticket.at();
            delay[i] = ticket.delayMicros();
            more[i] = ticket.more();
        }
        Integer[] rings =
                tickets.stream().map(ticket -> ticket.lane().id()).distinct().toArray(Integer[]::new);
        ids.addAll(runner.run(ADD_MANY, lane, kind, priority, at, delay, payload, more, rings));
    }
}
