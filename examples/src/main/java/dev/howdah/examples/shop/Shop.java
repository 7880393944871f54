package dev.howdah.examples.shop;

import dev.howdah.job.Job;
import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Takes orders, and does their work after the commit. */
public final class Shop {
    record Order(int number, String email) {}

    static final Kind<Order> CONFIRM = Kind.of("confirm", Order.class);

    private final DataSource source;

    Shop(DataSource source) {
        this.source = source;
    }

    /** @param arguments the database as pgjdbc has it; {@code order} and how many, or {@code work} */
    public static void main(String[] arguments) throws Exception {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setURL(arguments[0]);
        Shop shop = new Shop(source);
        if (arguments[1].equals("order")) shop.order(Integer.parseInt(arguments[2]));
        else shop.work();
    }

    /** Writes orders, each with its job in the same transaction. */
    void order(int orders) throws SQLException {
        try (Jobs jobs = Jobs.on(source).start();
                Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE IF NOT EXISTS shop_order (number int PRIMARY KEY, charged int);"
                    + " CREATE TABLE IF NOT EXISTS shop_mail (number int)");
            connection.setAutoCommit(false);
            for (int number = 1; number <= orders; number++) {
                write(connection, "INSERT INTO shop_order VALUES (?, 0)", number);
                jobs.add(connection, CONFIRM, new Order(number, "customer" + number + "@example.com"));
                connection.commit();
            }
            System.out.println("ordered: " + orders);
        }
    }

    /** Confirms orders until it is stopped or killed. */
    void work() throws InterruptedException {
        try (Jobs node =
                Jobs.on(source).concurrency(4).handle(CONFIRM, this::confirm).start()) {
            System.out.println("works");
            new CountDownLatch(1).await();
        }
    }

    private void confirm(Order order, Job job) throws Exception {
        String charge = "UPDATE shop_order SET charged = charged + 1 WHERE number = ?";
        job.stepInTransaction("charge", Integer.class, connection -> write(connection, charge, order.number()));
        Thread.sleep(200); // the mail server is slow
        String mail = "INSERT INTO shop_mail VALUES (?)";
        job.stepInTransaction("mail", Integer.class, connection -> write(connection, mail, order.number()));
        System.out.println("confirmed: " + order.number());
    }

    private static int write(Connection connection, String sql, int number) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setInt(1, number);
            return statement.executeUpdate();
        }
    }
}
