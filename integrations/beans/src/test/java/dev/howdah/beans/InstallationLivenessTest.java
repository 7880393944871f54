package dev.howdah.beans;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.beans.internal.node.ApplicationBeans;
import dev.howdah.beans.internal.node.Installation;
import dev.howdah.beans.internal.node.InstallationLiveness;
import dev.howdah.beans.internal.node.InstallationSettings;
import dev.howdah.spi.TransactionBridge;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.postgresql.ds.PGSimpleDataSource;

/** The liveness of applications. */
class InstallationLivenessTest {
    private static final InstallationSettings SETTINGS = new InstallationSettings(
            "howdah",
            "howdah",
            null,
            Duration.ofSeconds(1),
            null,
            true,
            true,
            1,
            List.of(),
            1,
            Duration.ZERO,
            false,
            Duration.ofDays(1),
            Duration.ofDays(1),
            null,
            Duration.ofMillis(1),
            "public",
            "task");

    /** No application is in a transaction here. */
    private static final class NoTransactions implements TransactionBridge {
        @Override
        public boolean isActive() {
            return false;
        }

        @Override
        public <T> T join(Work<T> work) {
            throw new IllegalStateException();
        }

        @Override
        public <T> T begin(Work<T> work) {
            throw new IllegalStateException();
        }
    }

    /** Its beans are slow to come. */
    private record SlowBeans(CountDownLatch asked, CountDownLatch there) implements ApplicationBeans {
        @Override
        public <T> List<T> all(Class<T> type) {
            asked.countDown();
            try {
                assertThat(there.await(1, TimeUnit.MINUTES)).isTrue();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            throw new IllegalStateException("no beans");
        }
    }

    static Stream<Consumer<Installation>> slow() {
        return Stream.of(Installation::jobs, Installation::processes, each -> each.start(List.of()));
    }

    @ParameterizedTest
    @MethodSource("slow")
    void probe_whileTheNodeIsMade_doesNotWait(Consumer<Installation> make) throws Exception {
        SlowBeans beans = new SlowBeans(new CountDownLatch(1), new CountDownLatch(1));
        PGSimpleDataSource source = new PGSimpleDataSource();
        Installation installation = new Installation("", SETTINGS, source, source, new NoTransactions(), beans);
        CompletableFuture<Void> made = CompletableFuture.runAsync(() -> make.accept(installation));
        assertThat(beans.asked().await(1, TimeUnit.MINUTES)).isTrue();
        InstallationLiveness liveness = CompletableFuture.supplyAsync(
                        () -> InstallationLiveness.of(List.of(installation)))
                .get(10, TimeUnit.SECONDS);
        assertThat(liveness).isEqualTo(new InstallationLiveness(true, Map.of("lost", "PT0S")));
        beans.there().countDown();
        assertThat(made).failsWithin(Duration.ofMinutes(1));
    }
}
