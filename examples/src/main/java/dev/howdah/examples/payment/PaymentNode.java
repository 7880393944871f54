package dev.howdah.examples.payment;

import dev.howdah.process.Processes;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.postgresql.ds.PGSimpleDataSource;

/** Works payments until it is killed; start as many as you like. */
public final class PaymentNode {
    private PaymentNode() {}

    /** @param arguments the database as pgjdbc has it, the address of the bank, and after how many seconds it is asked again */
    public static void main(String[] arguments) throws InterruptedException {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setURL(arguments[0]);
        Bank bank = new Bank(URI.create(arguments[1]));
        Duration again = Duration.ofMillis(Math.round(Double.parseDouble(arguments[2]) * 1000));
        try (Processes node =
                Processes.on(source).namespace(Payment.at(bank, again)).start()) {
            System.out.println("works payments: " + node.health("payment"));
            new CountDownLatch(1).await();
        }
    }
}
