package dev.howdah.reach.internal.driver;

import java.io.DataOutputStream;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientException;
import java.sql.Statement;
import java.util.List;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/** Statements of a task, in a connection of their own. */
final class StatementRun implements Runnable {
    private static final int FETCHED = 100;
    private static final int FURTHER = 5;

    private final DriverLibrary library;
    private final String url;
    private final Properties properties;
    private final boolean transaction;
    private final List<String> statements;
    private final DataOutputStream output;

    private @Nullable Statement running;
    private boolean cancelled;

    /** @param transaction whether all of them take effect, or none */
    StatementRun(
            DriverLibrary library,
            String url,
            Properties properties,
            boolean transaction,
            List<String> statements,
            DataOutputStream output) {
        this.library = library;
        this.url = url;
        this.properties = properties;
        this.transaction = transaction;
        this.statements = statements;
        this.output = output;
    }

    @Override
    public void run() {
        try {
            try {
                runAll();
            } catch (SQLException e) {
                error(e);
            } catch (RuntimeException | LinkageError e) {
                // A driver's own fault.
                error(new SQLException(e.toString(), e));
            }
            output.write(DriverFrames.END);
            output.flush();
        } catch (IOException e) {
            // The daemon is gone.
            Runtime.getRuntime().halt(0);
        }
    }

    private void runAll() throws SQLException, IOException {
        try (Connection connection = library.of(url).connect(url, properties)) {
            if (connection == null) throw new SQLException("no driver takes the database's URL", "W1009");
            if (transaction) connection.setAutoCommit(false);
            boolean done = false;
            try {
                for (int i = 0; i < statements.size(); i++) {
                    run(connection, i);
                    output.flush();
                }
                if (transaction) connection.commit();
                done = true;
            } finally {
                if (transaction && !done) rollback(connection);
            }
        }
    }

    private static void rollback(Connection connection) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            // Its end does the same.
        }
    }

    private void run(Connection connection, int place) throws SQLException, IOException {
        try (Statement statement = connection.createStatement()) {
            prepare(statement);
            begin(statement);
            try {
                boolean rows = statement.execute(statements.get(place));
                for (boolean any = false; ; any = true, rows = statement.getMoreResults()) {
                    if (rows) {
                        try (ResultSet result = statement.getResultSet()) {
                            new RowWriter(output).write(result);
                        }
                        continue;
                    }
                    int count = statement.getUpdateCount();
                    if (count < 0 && any) return;
                    output.write(DriverFrames.CHANGED);
                    output.writeInt(place);
                    output.writeInt(count);
                    if (count < 0) return;
                }
            } finally {
                begin(null);
            }
        }
    }

    private static void prepare(Statement statement) throws SQLException {
        try {
            statement.setEscapeProcessing(false);
            // Else some drivers keep all rows in memory.
            statement.setFetchSize(FETCHED);
        } catch (SQLFeatureNotSupportedException e) {
            // It works without.
        }
    }

    private synchronized void begin(@Nullable Statement statement) throws SQLException {
        running = statement;
        if (statement != null && cancelled) throw new SQLException("canceled", "57014");
    }

    /** Stops it, by the driver's own means. */
    synchronized void cancel() {
        cancelled = true;
        if (running == null) return;
        try {
            running.cancel();
        } catch (SQLException | RuntimeException e) {
            // The process is ended soon.
            e.printStackTrace();
        }
    }

    private void error(SQLException e) throws IOException {
        StringBuilder further = new StringBuilder();
        int count = 0;
        for (SQLException each = e.getNextException();
                each != null && count < FURTHER;
                each = each.getNextException()) {
            further.append(further.isEmpty() ? "" : "; ").append(each.getMessage());
            count++;
        }
        output.write(DriverFrames.ERROR);
        DriverFrames.write(output, e.getSQLState());
        output.writeInt(e.getErrorCode());
        DriverFrames.write(output, e.getMessage());
        DriverFrames.write(output, further.isEmpty() ? null : further.toString());
        output.writeBoolean(e instanceof SQLTransientException || e instanceof SQLRecoverableException);
    }
}
