package dev.howdah.console.internal.data;

import dev.howdah.internal.connection.CallerThreadSource;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Tells the database who changes something: while a thread works for a caller, its connections have the setting {@code howdah.actor},
 * which {@code paused_by} takes. Connections may be opened in another thread, so the setting is made with the first statement. Safe for use
 * by many threads.
 */
public final class ActorSource {
    private static final ThreadLocal<String> ACTOR = new ThreadLocal<>();
    private static final String SET = "SELECT pg_catalog.set_config('howdah.actor', ?, false)";

    private ActorSource() {}

    /** The same data source, which knows for whom a thread works. */
    public static DataSource of(DataSource source) {
        return (DataSource) Proxy.newProxyInstance(
                ActorSource.class.getClassLoader(),
                new Class<?>[] {DataSource.class, CallerThreadSource.class},
                (proxy, method, arguments) -> {
                    Object result = call(source, method, arguments);
                    return result instanceof Connection connection ? wrapped(connection) : result;
                });
    }

    /** Does some work for a caller. */
    public static <T> T as(String actor, Supplier<T> work) {
        ACTOR.set(actor);
        try {
            return work.get();
        } finally {
            ACTOR.remove();
        }
    }

    private static Connection wrapped(Connection connection) {
        Wrapper wrapper = new Wrapper(connection);
        return (Connection) Proxy.newProxyInstance(
                ActorSource.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> wrapper.call(method, arguments));
    }

    private static @Nullable Object call(Object target, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    private static final class Wrapper {
        private final Connection connection;
        private String actor = "";

        Wrapper(Connection connection) {
            this.connection = connection;
        }

        @Nullable
        Object call(Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
            String name = method.getName();
            if (name.startsWith("prepare") || name.equals("createStatement")) become(ACTOR.get());
            else if (name.equals("close") && !actor.isEmpty()) becomeNobody();
            return ActorSource.call(connection, method, arguments);
        }

        private void become(@Nullable String wanted) throws SQLException {
            if (wanted == null || wanted.equals(actor)) return;
            actor = wanted;
            try (PreparedStatement statement = connection.prepareStatement(SET)) {
                statement.setString(1, wanted);
                statement.execute();
            }
        }

        /** A pool gives the connection to others. */
        private void becomeNobody() {
            try (PreparedStatement statement = connection.prepareStatement(SET)) {
                statement.setString(1, "");
                statement.execute();
            } catch (SQLException e) {
                // The connection is lost, or in a failed transaction: then the setting goes with that.
            }
        }
    }
}
