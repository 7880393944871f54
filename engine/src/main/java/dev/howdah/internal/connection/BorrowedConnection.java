package dev.howdah.internal.connection;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The connection of a handler that works in a transaction of Howdah: the handler cannot end that transaction. */
public final class BorrowedConnection implements InvocationHandler {
    private static final Set<String> REFUSED = Set.of("commit", "close", "abort", "setAutoCommit");

    private final Connection connection;
    private final String owner;

    private BorrowedConnection(Connection connection, String owner) {
        this.connection = connection;
        this.owner = owner;
    }

    /** @param owner whose the transaction is, for messages: {@code job} */
    public static Connection of(Connection connection, String owner) {
        return (Connection) Proxy.newProxyInstance(
                BorrowedConnection.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                new BorrowedConnection(SchemaConnection.below(connection), owner));
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] values) throws Throwable {
        String name = method.getName();
        // A rollback to a savepoint of the handler's own is its own affair.
        boolean whole = name.equals("rollback") && (values == null || values.length == 0);
        if (whole || REFUSED.contains(name))
            throw new SQLException(
                    "a handler must not " + name + ": the transaction is the " + owner
                            + "'s, and ends when the handler has",
                    "25000");
        try {
            return method.invoke(connection, values);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }
}
