package dev.howdah.reach.internal.keep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.Patience;
import dev.howdah.reach.internal.call.Call;
import dev.howdah.reach.internal.call.Credential;
import dev.howdah.reach.internal.call.ReachPlaces;
import dev.howdah.reach.internal.call.Target;
import dev.howdah.spi.reach.Cancellation;
import dev.howdah.spi.reach.ReachDocuments;
import dev.howdah.spi.reach.ReachTask;
import dev.howdah.spi.reach.RowFormat;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Which tasks use the connection of an earlier one. */
class KeptConnectionsTest {
    private final AtomicInteger opened = new AtomicInteger();
    private final Set<Integer> dead = ConcurrentHashMap.newKeySet();
    private final Set<Integer> closed = ConcurrentHashMap.newKeySet();

    private KeptConnections<Integer> connections(Duration idle) {
        return new KeptConnections<>("test", idle, 100, each -> !dead.contains(each), closed::add);
    }

    private static Credential credential(String secret) {
        return new Credential(
                "net", Credential.Kind.LOGIN, "switch", null, secret, Map.of(), ReachPlaces.of(List.of("ssh://a")));
    }

    private static ConnectionUse use(String owner, String secret, int port) {
        InetSocketAddress address = InetSocketAddress.createUnresolved("192.0.2.1", port);
        return new ConnectionUse(owner, "ssh", "a", address, null, credential(secret), null);
    }

    private static Call call() throws Exception {
        ReachTask task = new ReachTask(
                1,
                "ssh://a",
                "",
                "app",
                "",
                Duration.ZERO,
                "k",
                1,
                new RowFormat(true, true, "", "", "", ""),
                ReachDocuments.none());
        return new Call(task, Target.of("ssh://a"), null, false, Duration.ofSeconds(1), new Cancellation());
    }

    private int used(KeptConnections<Integer> connections, ConnectionUse use) throws Exception {
        try (KeptConnections<Integer>.Lease lease =
                connections.lease(use, call(), onStop -> opened.incrementAndGet())) {
            lease.keep();
            return lease.connection();
        }
    }

    @Test
    void connection_isOnlyForTheSameOwnerSecretAndAddress() throws Exception {
        try (KeptConnections<Integer> connections = connections(Duration.ofMinutes(1))) {
            assertThat(used(connections, use("app", "s1", 22))).isEqualTo(1);
            assertThat(used(connections, use("app", "s1", 22))).isEqualTo(1);
            assertThat(used(connections, use("eve", "s1", 22))).isEqualTo(2);
            assertThat(used(connections, use("app", "s2", 22))).isEqualTo(3);
            assertThat(used(connections, use("app", "s1", 23))).isEqualTo(4);
            assertThat(use("app", "s1", 22).toString()).doesNotContain("s1");
        }
        assertThat(closed).containsExactlyInAnyOrder(1, 2, 3, 4);
    }

    @Test
    void connection_thatIsDeadOrNotGivenBack_isReplaced() throws Exception {
        ConnectionUse use = use("app", "s1", 22);
        try (KeptConnections<Integer> connections = connections(Duration.ofMinutes(1))) {
            used(connections, use);
            dead.add(1);
            assertThat(used(connections, use)).isEqualTo(2);
            assertThat(closed).containsExactly(1);
            try (KeptConnections<Integer>.Lease failed = connections.lease(use, call(), onStop -> 9)) {
                assertThat(failed.connection()).isEqualTo(2);
            }
            assertThat(closed).containsExactlyInAnyOrder(1, 2);
            assertThat(used(connections, use)).isEqualTo(3);
        }
    }

    @Test
    void connections_areBounded_andClosedWhenIdle() throws Exception {
        ConnectionUse use = use("app", "s1", 22);
        try (KeptConnections<Integer> connections = connections(Duration.ofMillis(300))) {
            List<KeptConnections<Integer>.Lease> leases = new ArrayList<>();
            for (int i = 0; i < 30; i++) leases.add(connections.lease(use, call(), onStop -> opened.incrementAndGet()));
            leases.forEach(each -> {
                each.keep();
                each.close();
            });
            assertThat(closed).hasSizeGreaterThanOrEqualTo(10);
            await().atMost(Patience.LIMIT).until(() -> closed.size() == 30);
        }
    }

    @Test
    void cancellation_afterTheTask_leavesTheConnectionOfTheNextOne() throws Exception {
        ConnectionUse use = use("app", "s1", 22);
        try (KeptConnections<Integer> connections = connections(Duration.ofMinutes(1))) {
            Call first = call();
            try (KeptConnections<Integer>.Lease lease = connections.lease(use, first, onStop -> {
                onStop.accept(() -> closed.add(1));
                return 1;
            })) {
                lease.keep();
            }
            first.cancellation().cancel();
            assertThat(closed).isEmpty();
            Call second = call();
            try (KeptConnections<Integer>.Lease lease = connections.lease(use, second, onStop -> 2)) {
                lease.keep();
                second.cancellation().cancel();
                assertThat(closed).containsExactly(1);
            }
            assertThat(used(connections, use)).isEqualTo(1);
        }
    }
}
