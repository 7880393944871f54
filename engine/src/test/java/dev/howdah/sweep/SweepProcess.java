package dev.howdah.sweep;

import dev.howdah.fixtures.ChildJvm;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

/** A process of its own that joins the mailing, to be frozen or killed. It says which rows it begins; the work of rows never ends if it is told so. */
final class SweepProcess implements AutoCloseable {
    private final ChildJvm child;
    private final Set<String> said = ConcurrentHashMap.newKeySet();

    private SweepProcess(ChildJvm child) {
        this.child = child;
        Thread reader = new Thread(this::read, "sweep-process");
        reader.setDaemon(true);
        reader.start();
    }

    private void read() {
        try {
            for (String line = child.out().readLine();
                    line != null;
                    line = child.out().readLine()) said.add(line);
        } catch (IOException e) {
            said.add("cut off");
        }
    }

    static SweepProcess at(String uri, boolean hangs) {
        return new SweepProcess(
                ChildJvm.start(SweepProcess.class, List.of("-XX:TieredStopAtLevel=1"), uri, Boolean.toString(hangs)));
    }

    Set<String> said() {
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
                .named("mailing")
                .table("subscription")
                .where("last_mail_at IS NULL")
                .key("id")
                .mark("last_mail_at = now(), mails = mails + 1")
                .workers(2)
                .each(row -> {
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
