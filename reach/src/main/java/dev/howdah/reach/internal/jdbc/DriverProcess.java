package dev.howdah.reach.internal.jdbc;

import dev.howdah.internal.run.Threads;
import dev.howdah.reach.internal.child.ChildJava;
import dev.howdah.reach.internal.child.Tail;
import dev.howdah.reach.internal.driver.DriverFrames;
import dev.howdah.reach.internal.driver.DriverMain;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A process with drivers. It ends when its standard input does, hence also when this program is killed. One run at a time; it may be
 * stopped from any thread.
 */
final class DriverProcess {
    private static final Logger log = LoggerFactory.getLogger(DriverProcess.class);

    /** So long a driver has to say that it has cancelled. */
    private static final long CANCEL_MILLIS = 500;

    private final Process process;
    private final DataOutputStream input;
    private final DataInputStream output;
    private final Tail errors;
    private final CountDownLatch ended = new CountDownLatch(1);

    private DriverProcess(Process process) {
        this.process = process;
        this.input = new DataOutputStream(new BufferedOutputStream(process.getOutputStream()));
        this.output = new DataInputStream(new BufferedInputStream(process.getInputStream(), 65_536));
        this.errors = new Tail(process.getErrorStream());
        Threads.daemon("howdah-jdbc-errors", errors).start();
    }

    static DriverProcess start(NamedDatabases.Database database, List<List<String>> drivers) throws IOException {
        ProcessBuilder builder = ChildJava.of(
                        database.user().prefix(),
                        List.of("-XX:TieredStopAtLevel=1"),
                        classes(),
                        List.of(DriverMain.class.getName()))
                .directory(Path.of("/").toFile());
        DriverProcess started = new DriverProcess(builder.start());
        try {
            started.drivers(drivers);
        } catch (IOException e) {
            throw started.lost();
        }
        return started;
    }

    /** The jar that this program runs from, or the folder of its classes. */
    private static String classes() {
        try {
            return Path.of(DriverMain.class
                            .getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toString();
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private void drivers(List<List<String>> groups) throws IOException {
        input.write(DriverFrames.DRIVERS);
        input.writeInt(groups.size());
        for (List<String> each : groups) texts(each);
        input.flush();
    }

    private void texts(List<String> texts) throws IOException {
        input.writeInt(texts.size());
        for (String each : texts) DriverFrames.write(input, each);
    }

    /** Begins a run; its frames are {@linkplain #output read} next. */
    void run(String url, Map<String, String> properties, boolean transaction, List<String> statements)
            throws IOException {
        try {
            input.write(DriverFrames.RUN);
            DriverFrames.write(input, url);
            input.writeInt(properties.size());
            for (Map.Entry<String, String> each : properties.entrySet()) {
                DriverFrames.write(input, each.getKey());
                DriverFrames.write(input, each.getValue());
            }
            input.writeBoolean(transaction);
            texts(statements);
            input.flush();
        } catch (IOException e) {
            throw lost();
        }
    }

    DataInputStream output() {
        return output;
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Why the process is gone, which the log says in full. */
    IOException lost() {
        try {
            if (!process.waitFor(1, TimeUnit.SECONDS)) end();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            end();
        }
        String said = errors.text().strip();
        int exit = process.isAlive() ? -1 : process.exitValue();
        if (!said.isEmpty()) log.warn("the process of a driver has ended, exit code {}: {}", exit, said);
        return said.contains("OutOfMemoryError")
                ? new IOException("the driver needs more memory than its process has, " + ChildJava.HEAP + "B")
                : new IOException("the process of the driver has ended, exit code " + exit);
    }

    /** Asks the driver to cancel, and ends the process when it does not. Does not wait. */
    void stop() {
        Threads.daemon("howdah-jdbc-stop", this::cancelThenEnd).start();
    }

    private void cancelThenEnd() {
        Thread asks = Threads.daemon("howdah-jdbc-cancel", () -> {
            try {
                input.write(DriverFrames.CANCEL);
                input.flush();
            } catch (IOException e) {
                // It is gone.
            }
        });
        asks.start();
        try {
            ended.await(CANCEL_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        end();
    }

    /** Nothing more is run in it. */
    void end() {
        ended.countDown();
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    /** Ends it and waits until its locks are gone. */
    void endNow() {
        end();
        try {
            process.waitFor(5, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
