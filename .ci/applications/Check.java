package app;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.concurrent.Callable;

/** Places an order and waits until its job is done; places one that is refused, and looks whether there is a job of it. */
final class Check {
    private Check() {}

    static void orders(Callable<?> right, Callable<?> refused) throws Exception {
        right.call();
        try {
            refused.call();
            throw new AssertionError("an order without a customer is placed");
        } catch (IllegalArgumentException e) {
            System.out.println("refused: " + e.getMessage());
        }
        long end = System.nanoTime() + 120_000_000_000L;
        while (!count("state = 'done'").equals("1")) {
            if (System.nanoTime() > end) throw new AssertionError("the job is not done");
            Thread.sleep(20);
        }
        System.out.println("jobs done: " + count("state = 'done'") + ", of all: " + count("true"));
    }

    private static String count(String which) throws Exception {
        try (Connection connection = DriverManager.getConnection(System.getenv("url"), "postgres", "");
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT count(*) FROM howdah.jobs WHERE kind = 'confirm' AND " + which)) {
            row.next();
            return row.getString(1);
        }
    }
}
