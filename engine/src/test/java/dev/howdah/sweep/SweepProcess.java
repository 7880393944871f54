package dev.howdah.sweep;

import dev.howdah.fixtures.ChildJvm;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** A process of its own that joins the mailing, to be frozen or killed. It says which rows it begins; the work of rows never ends if it is told so. */
final class SweepProcess implements AutoCloseable {
    private final ChildJvm child;
    private final Collection<String> said;

    private SweepProcess(ChildJvm child) {
        this.child = child;
        this.said = child.lines();
    }

    static SweepProcess at(String uri, boolean hangs) {
        return new SweepProcess(
                ChildJvm.start(SweepProcess.class, List.of("-XX:TieredStopAtLevel=1"), uri, Boolean.toString(hangs)));
    }

    Collection<String> said() {
        return said;
    }

    ChildJvm child() {
        return child;
    }

    @Override
    public void close() {
        child.close();
    }

    /** @param arguments the address of the database, and whether rows hang */
    public static void main(String[] arguments) throws InterruptedException {
        boolean hangs = Boolean.parseBoolean(arguments[1]);
        Sweep.on(SweepDatabase.source(arguments[0]))
                .name("mailing")
                .table("subscription")
                .where("last_mail_at IS NULL")
                .key("id")
                .mark("last_mail_at = now(), mails = mails + 1")
                .workers(2)
                .forEachRow(row -> {
                    synchronized (SweepProcess.class) {
                        System.out.println("began " + row.getLong("id"));
                    }
                    if (hangs) new CountDownLatch(1).await();
                })
                .start()
                .join();
        System.out.println("done");
    }
}
