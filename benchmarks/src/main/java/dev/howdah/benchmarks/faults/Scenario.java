package dev.howdah.benchmarks.faults;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** What is done to the program while it works. */
enum Scenario {
    /** The only daemon is killed, again and again, at any moment of its life, and started again. */
    KILL(100, 1, Map.of()) {
        @Override
        void act(Stage stage, int rounds) throws Exception {
            for (int i = 0; i < rounds; i++) {
                stage.round(i, rounds);
                if (i % 2 == 0) stage.awaitProgress(60); // else perhaps before it has begun
                stage.pause(stage.chance(2000));
                DaemonProcess daemon = stage.daemons().get(0);
                daemon.kill();
                stage.struck();
                stage.replace(daemon);
            }
            stage.awaitProgress(60);
        }
    },
    /** Twice a second one of our sessions is ended, whichever; two daemons. The amount is in seconds. */
    TERMINATE(300, 2, Map.of()) {
        @Override
        void act(Stage stage, int seconds) throws Exception {
            for (int i = 0; i < seconds * 2; i++) {
                stage.round(i, seconds * 2);
                stage.endAnySession();
                stage.pause(500);
            }
            stage.awaitProgress(60);
        }
    },
    /** PostgreSQL is stopped in good order, at once, or killed; and started again. */
    RESTART(10, 1, Map.of()) {
        @Override
        void act(Stage stage, int rounds) throws Exception {
            String[] signals = {"INT", "QUIT", "KILL"};
            for (int i = 0; i < rounds; i++) {
                stage.round(i, rounds);
                stage.pause(500 + stage.chance(2500));
                stage.server().end(signals[i % signals.length]);
                stage.server().restart();
                stage.struck();
                stage.awaitProgress(60);
            }
        }
    },
    /** Others take every connection there is, and give them back; in every second round some of ours as well. */
    EXHAUSTED(10, 1, Map.of("max_connections", "80", "superuser_reserved_connections", "0", "autovacuum", "off")) {
        @Override
        void act(Stage stage, int rounds) throws Exception {
            for (int i = 0; i < rounds; i++) {
                stage.round(i, rounds);
                try (Squatters others = new Squatters(stage.server().database())) {
                    others.fill();
                    for (int n = 0; n < 10 && i % 2 == 1; n++) stage.endAnySession();
                    others.fill(2000 + stage.chance(2000));
                    stage.most("connections_taken", others.held());
                }
                stage.struck();
                stage.awaitProgress(60);
                stage.pause(1000);
            }
        }
    },
    /** The disk of PostgreSQL is full, and has room again. Needs the right to mount. */
    DISK(5, 1, Map.of("max_wal_size", "64MB", "min_wal_size", "32MB", "shared_buffers", "16MB")) {
        @Override
        void act(Stage stage, int rounds) throws Exception {
            for (int i = 0; i < rounds; i++) {
                stage.round(i, rounds);
                stage.pause(1000);
                for (int n = 0; n < 8; n++) {
                    stage.disk().fill(500 + stage.chance(500));
                    stage.useUpLog();
                }
                if (!stage.server().isAlive()) stage.add("server_gave_up");
                stage.disk().free();
                if (!stage.serverAnswers(20)) {
                    // PostgreSQL 18 sometimes waits for its own checkpoint for ever when recovery has failed a few
                    // times.
                    if (stage.server().isAlive()) stage.add("server_hung");
                    stage.server().end("KILL");
                    stage.server().restart();
                }
                stage.struck();
                stage.awaitProgress(60);
            }
        }
    },
    /** The clock of the daemon's machine is an hour off, and jumps to and fro. Needs a C compiler. In seconds. */
    CLOCK(60, 1, Map.of()) {
        @Override
        void act(Stage stage, int seconds) throws Exception {
            long[] offsets = {3600, -3600, 0, 86_400 * 400};
            for (int i = 0; i * 5 < seconds; i++) {
                stage.round(i, seconds / 5);
                stage.pause(5000);
                stage.clock().set(offsets[(i + 1) % offsets.length]);
                stage.struck();
                stage.awaitProgress(60);
            }
        }
    },
    /** Two daemons; the one that is the scheduler is killed, stopped in good order, or frozen and thawed later. */
    TAKEOVER(12, 2, Map.of()) {
        @Override
        void act(Stage stage, int rounds) throws Exception {
            for (int i = 0; i < rounds; i++) {
                stage.round(i, rounds);
                stage.awaitConnected();
                stage.pause(1000 + stage.chance(1000));
                DaemonProcess scheduler = stage.scheduler();
                if (i % 3 == 2) {
                    scheduler.freeze();
                    stage.struck();
                    stage.awaitProgress(40);
                    stage.pause(stage.chance(3000));
                    scheduler.thaw();
                } else {
                    if (i % 3 == 0) scheduler.kill();
                    else if (!scheduler.stop()) stage.complain("a daemon did not end within half a minute");
                    stage.struck();
                    stage.awaitProgress(40);
                    stage.replace(scheduler);
                }
            }
        }
    };

    /** Rounds or seconds of the full form. */
    final int usual;

    final int daemons;
    final Map<String, String> settings;

    Scenario(int usual, int daemons, Map<String, String> settings) {
        this.usual = usual;
        this.daemons = daemons;
        this.settings = settings;
    }

    /** @param amount rounds or seconds */
    abstract void act(Stage stage, int amount) throws Exception;

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    static String names(String between) {
        return Arrays.stream(values()).map(Scenario::word).collect(Collectors.joining(between));
    }

    static Scenario of(String word) {
        for (Scenario each : values()) if (each.word().equals(word)) return each;
        throw new IllegalArgumentException("no scenario " + word + ", only " + names(", "));
    }
}
