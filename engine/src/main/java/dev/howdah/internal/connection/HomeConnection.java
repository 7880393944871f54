package dev.howdah.internal.connection;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A connection, or a statement of one, all of whose work is done in its {@link HomeThread}, whatever thread asks for it. Rows are read by the thread
 * that wants them, and parameters set: the pool has no part in that. So are statements cancelled and connections aborted, which must not wait.
 */
final class HomeConnection implements InvocationHandler {
    private static final Set<String> DIRECT =
            Set.of("abort", "cancel", "unwrap", "isWrapperFor", "clearParameters", "addBatch");

    private final Object target;
    private final HomeThread home;
    /** Of a statement. */
    private final @Nullable Connection owner;

    private HomeConnection(Object target, HomeThread home, @Nullable Connection owner) {
        this.target = target;
        this.home = home;
        this.owner = owner;
    }

    static Connection of(Connection connection, HomeThread home) {
        return proxy(Connection.class, new HomeConnection(connection, home, null));
    }

    private static <T> T proxy(Class<T> type, HomeConnection handler) {
        return type.cast(Proxy.newProxyInstance(HomeConnection.class.getClassLoader(), new Class<?>[] {type}, handler));
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] values) throws Throwable {
        String name = method.getName();
        switch (name) {
            case "equals" -> {
                return values != null && proxy == values[0];
            }
            case "hashCode" -> {
                return System.identityHashCode(proxy);
            }
            case "close" -> {
                close(method);
                return null;
            }
            default -> {
                if (owner != null && name.equals("getConnection")) return owner;
                if (isDirect(name)) return call(method, values);
                if (home.hasEnded() && name.equals("isClosed")) return true;
                if (home.hasEnded() && name.equals("isValid")) return false;
                Object result = home.call(() -> call(method, values));
                return result instanceof Statement statement ? ofHere(statement, (Connection) proxy) : result;
            }
        }
    }

    /** Setters of statements only; those of a connection may be statements. */
    private boolean isDirect(String name) {
        return DIRECT.contains(name) || (owner != null && name.startsWith("set"));
    }

    private void close(Method method) throws Throwable {
        if (home.hasEnded()) return;
        try {
            home.call(() -> call(method, null));
        } finally {
            if (owner == null) home.end();
        }
    }

    private Statement ofHere(Statement statement, Connection connection) {
        HomeConnection handler = new HomeConnection(statement, home, connection);
        if (statement instanceof CallableStatement) return proxy(CallableStatement.class, handler);
        if (statement instanceof PreparedStatement) return proxy(PreparedStatement.class, handler);
        return proxy(Statement.class, handler);
    }

    private @Nullable Object call(Method method, @Nullable Object @Nullable [] values) throws Throwable {
        try {
            return method.invoke(target, values);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }
}
