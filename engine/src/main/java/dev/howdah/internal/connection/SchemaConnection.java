package dev.howdah.internal.connection;

import dev.howdah.internal.sql.SchemaName;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Statement;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGNotification;

/**
 * A connection on which the library's statements mean another schema than {@code howdah}. Statements of users run on the connection below, see
 * {@link #below}.
 */
public final class SchemaConnection implements InvocationHandler {
    private static final Set<String> WITH_SQL = Set.of(
            "prepareStatement",
            "prepareCall",
            "nativeSQL",
            "execute",
            "executeQuery",
            "executeUpdate",
            "executeLargeUpdate",
            "addBatch");

    private final Object target;
    private final SchemaName schema;

    private SchemaConnection(Object target, SchemaName schema) {
        this.target = target;
        this.schema = schema;
    }

    /** That connection, with statements in that schema; the same one for the schema howdah. */
    public static Connection of(Connection connection, SchemaName schema) {
        return schema.isHowdah() || behind(connection) != null
                ? connection
                : proxy(Connection.class, connection, schema);
    }

    private static <T> T proxy(Class<T> type, T target, SchemaName schema) {
        return type.cast(Proxy.newProxyInstance(
                SchemaConnection.class.getClassLoader(), new Class<?>[] {type}, new SchemaConnection(target, schema)));
    }

    private static @Nullable SchemaConnection behind(Connection connection) {
        return Proxy.isProxyClass(connection.getClass())
                        && Proxy.getInvocationHandler(connection) instanceof SchemaConnection found
                ? found
                : null;
    }

    /** The same connection, whose statements are taken as they are. */
    static Connection below(Connection connection) {
        SchemaConnection found = behind(connection);
        return found == null ? connection : (Connection) found.target;
    }

    /** The schema of the library's statements on that connection. */
    public static SchemaName schema(Connection connection) {
        SchemaConnection found = behind(connection);
        return found == null ? SchemaName.howdah() : found.schema;
    }

    /** Notifications with the channels as the library calls them. */
    public static PGNotification[] heard(Connection connection, PGNotification[] notifications) {
        SchemaName schema = schema(connection);
        if (schema.isHowdah()) return notifications;
        return Stream.of(notifications)
                .map(each -> new Heard(schema.channel(each.getName()), each.getPID(), each.getParameter()))
                .toArray(PGNotification[]::new);
    }

    private record Heard(String channel, int pid, String payload) implements PGNotification {
        @Override
        public String getName() {
            return channel;
        }

        @Override
        public int getPID() {
            return pid;
        }

        @Override
        public String getParameter() {
            return payload;
        }
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] values) throws Throwable {
        String name = method.getName();
        if (name.equals("equals")) return values != null && proxy == values[0];
        if (name.equals("hashCode")) return System.identityHashCode(proxy);
        @Nullable Object @Nullable [] given = values;
        if (values != null && values.length > 0 && values[0] instanceof String sql && WITH_SQL.contains(name)) {
            given = values.clone();
            given[0] = schema.in(sql);
        }
        try {
            Object result = method.invoke(target, given);
            return name.equals("createStatement") && result instanceof Statement statement
                    ? proxy(Statement.class, statement, schema)
                    : result;
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }
}
