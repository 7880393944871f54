package dev.howdah.testkit.internal.crash;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/** A connection, or a statement of one, that tells the switch of all that is sent to the server. */
final class CrashingConnection implements InvocationHandler {
    private static final String COMMIT = "COMMIT";

    private final Object target;
    private final CrashSwitch program;
    private final @Nullable Connection owner;
    private final String text;

    private CrashingConnection(Object target, CrashSwitch program, @Nullable Connection owner, String text) {
        this.target = target;
        this.program = program;
        this.owner = owner;
        this.text = text;
    }

    static Connection of(Connection connection, CrashSwitch program) throws SQLException {
        program.opened(connection);
        return proxy(Connection.class, new CrashingConnection(connection, program, null, ""));
    }

    private static <T> T proxy(Class<T> type, CrashingConnection handler) {
        return type.cast(
                Proxy.newProxyInstance(CrashingConnection.class.getClassLoader(), new Class<?>[] {type}, handler));
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] values) throws Throwable {
        String name = method.getName();
        if (name.equals("equals")) return values != null && proxy == values[0];
        if (name.equals("hashCode")) return System.identityHashCode(proxy);
        if (target instanceof Connection connection) return ofConnection(connection, proxy, method, values);
        if (name.equals("getConnection")) return owner;
        if (!name.startsWith("execute")) return call(method, values);
        String sql = values != null && values.length > 0 && values[0] instanceof String given ? given : text;
        return program.run(sql, () -> call(method, values));
    }

    private @Nullable Object ofConnection(
            Connection connection, Object proxy, Method method, @Nullable Object @Nullable [] values) throws Throwable {
        String name = method.getName();
        if (name.equals("close") || name.equals("abort")) program.closed(connection);
        if (name.equals("commit") && isOpen(connection)) return program.run(COMMIT, () -> call(method, values));
        if (name.equals("setAutoCommit") && values != null && Boolean.TRUE.equals(values[0]) && isOpen(connection))
            return program.run(COMMIT, () -> call(method, values));
        Object result = call(method, values);
        if (!(result instanceof Statement statement) || !(proxy instanceof Connection own)) return result;
        program.requireAlive();
        String sql = values != null && values.length > 0 && values[0] instanceof String given ? given : "";
        CrashingConnection handler = new CrashingConnection(statement, program, own, sql);
        if (statement instanceof CallableStatement) return proxy(CallableStatement.class, handler);
        if (statement instanceof PreparedStatement) return proxy(PreparedStatement.class, handler);
        return proxy(Statement.class, handler);
    }

    private static boolean isOpen(Connection connection) throws SQLException {
        return connection.unwrap(BaseConnection.class).getTransactionState() == TransactionState.OPEN;
    }

    private @Nullable Object call(Method method, @Nullable Object @Nullable [] values) throws Throwable {
        try {
            return method.invoke(target, values);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }
}
