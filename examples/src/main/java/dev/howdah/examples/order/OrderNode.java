package dev.howdah.examples.order;

import dev.howdah.job.Jobs;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CountDownLatch;
import org.postgresql.ds.PGSimpleDataSource;

/** Works orders until it is killed; start as many as you like. */
public final class OrderNode {
    private OrderNode() {}

    /** @param arguments the database as pgjdbc has it, and the number of an order that is to be added, if any */
    public static void main(String[] arguments) throws InterruptedException, SQLException {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setURL(arguments[0]);
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE IF NOT EXISTS ledger (purchase integer NOT NULL, line text NOT NULL)");
        }
        try (Jobs jobs = Order.handledBy(Jobs.on(source)).start()) {
            System.out.println("works orders");
            if (arguments.length > 1)
                System.out.println("added as job " + jobs.add(Order.ORDER, Integer.valueOf(arguments[1])));
            new CountDownLatch(1).await();
        }
    }
}
