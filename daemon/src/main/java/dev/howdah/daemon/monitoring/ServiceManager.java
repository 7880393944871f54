package dev.howdah.daemon.monitoring;

import dev.howdah.internal.run.Threads;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports to systemd when the daemon is ready and when it stops, and answers its watchdog, if it asks for that ({@code NOTIFY_SOCKET},
 * {@code WATCHDOG_USEC}).
 *
 * <p>The JVM has no datagram sockets of Unix, so {@code systemd-notify} sends the messages; the unit needs {@code NotifyAccess=all}.
 */
public final class ServiceManager implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ServiceManager.class);
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long SEND_SECONDS = 5;

    private final String socket;
    private final Supplier<@Nullable String> startObstacle;
    private final Supplier<@Nullable String> obstacle;
    private final long watchdogNanos;
    private final Thread thread = Threads.loop("howdah-systemd", this::report);
    private volatile boolean isClosed;

    private ServiceManager(
            String socket,
            Supplier<@Nullable String> startObstacle,
            Supplier<@Nullable String> obstacle,
            long watchdogNanos) {
        this.socket = socket;
        this.startObstacle = startObstacle;
        this.obstacle = obstacle;
        this.watchdogNanos = watchdogNanos;
    }

    /**
     * Begins to report, if systemd asks for it.
     *
     * @param startObstacle why the daemon has not come up, for which systemd would start it again; null: it has
     * @param obstacle why the daemon is not ready; null: it is
     * @return null if systemd does not ask for it
     */
    public static @Nullable ServiceManager start(
            Map<String, String> environment,
            Supplier<@Nullable String> startObstacle,
            Supplier<@Nullable String> obstacle) {
        String socket = environment.getOrDefault("NOTIFY_SOCKET", "");
        if (socket.isEmpty()) return null;
        ServiceManager manager = new ServiceManager(socket, startObstacle, obstacle, watchdogNanos(environment));
        manager.thread.start();
        return manager;
    }

    /** Half of the time within which the watchdog wants to be answered; 0: there is no watchdog. */
    private static long watchdogNanos(Map<String, String> environment) {
        try {
            long micros = Long.parseLong(environment.getOrDefault("WATCHDOG_USEC", "0"));
            return micros <= 0 ? 0 : Math.max(LOOK_NANOS, TimeUnit.MICROSECONDS.toNanos(micros) / 2);
        } catch (NumberFormatException e) {
            log.warn("WATCHDOG_USEC is no number of microseconds: the watchdog is not answered");
            return 0;
        }
    }

    private void report() {
        boolean wasReady = false;
        String status = null;
        long answered = System.nanoTime() - watchdogNanos;
        while (!isClosed) {
            List<String> news = new ArrayList<>();
            String reason = obstacle.get();
            String now = reason == null ? "ready" : firstLine(reason);
            if (!wasReady && startObstacle.get() == null) {
                wasReady = true;
                news.add("--ready");
            }
            if (!now.equals(status)) {
                status = now;
                news.add("--status=" + now);
            }
            if (watchdogNanos > 0 && System.nanoTime() - answered >= watchdogNanos && Liveness.obstacle() == null) {
                answered = System.nanoTime();
                news.add("WATCHDOG=1");
            }
            if (!news.isEmpty()) send(news);
            LockSupport.parkNanos(wasReady ? restNanos() : LOOK_NANOS);
        }
    }

    private long restNanos() {
        return watchdogNanos > 0 ? Math.min(REST_NANOS, watchdogNanos) : REST_NANOS;
    }

    private static String firstLine(String text) {
        return text.lines().findFirst().orElse("");
    }

    private void send(List<String> news) {
        List<String> command = new ArrayList<>();
        command.add("systemd-notify");
        command.addAll(news);
        try {
            ProcessBuilder builder = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD);
            builder.environment().put("NOTIFY_SOCKET", socket);
            Process sender = builder.start();
            if (!sender.waitFor(SEND_SECONDS, TimeUnit.SECONDS)) sender.destroyForcibly();
            else if (sender.exitValue() != 0) log.warn("systemd-notify ended with exit code {}", sender.exitValue());
        } catch (IOException e) {
            log.warn("systemd cannot be told: {}", e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Reports that the daemon stops. */
    @Override
    public void close() {
        isClosed = true;
        LockSupport.unpark(thread);
        try {
            thread.join(TimeUnit.SECONDS.toMillis(SEND_SECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        send(List.of("--status=stopping", "STOPPING=1"));
    }
}
