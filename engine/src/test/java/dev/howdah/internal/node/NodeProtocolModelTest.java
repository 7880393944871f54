package dev.howdah.internal.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.connection.DedicatedSession;
import dev.howdah.internal.connection.ServerWatch;
import dev.howdah.internal.sql.AdvisoryLock;
import dev.howdah.internal.sql.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGNotification;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * The protocol of nodes beside a model of it: nodes of one or two features enter, claim, lose their sessions, come back, leave,
 * are replaced and recover each other, in random order. A claim is recovered once, only after its node has lost its lock, and only
 * by a node of its feature; a node of which any claim was recovered does not come back.
 */
@PostgresTest
class NodeProtocolModelTest {
    private static final List<String> FEATURES = List.of("job", "process");
    private static final Sql PRESENT = NodeSql.NODE.statement("node_present");
    private static final Sql WATCH = NodeSql.NODE.statement("node_watch");
    private static final Sql JOIN = NodeSql.NODE.statement("node_join");
    private static final Sql LOCKED = Sql.of("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"
            + " AND classid = 1215264874 AND objid = $1 AND objsubid = 2 AND granted"
            + " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())");
    private static final Sql CLAIM = Sql.of("INSERT INTO public.claim (node, feature) VALUES ($1, $2)");
    private static final Sql RECOVER =
            Sql.of("DELETE FROM public.claim WHERE id = (SELECT c.id FROM public.claim c WHERE c.node = $1"
                    + " AND c.feature = $2 LIMIT 1)");
    private static final Sql ROWS = Sql.of(
            "SELECT n.id, array_to_string(n.features, ' '), n.returned, n.replaced FROM howdah_internal.node n ORDER BY n.id");

    private final TestDatabase database;
    private final PGSimpleDataSource source = new PGSimpleDataSource();
    private final List<Node> nodes = new ArrayList<>();
    private final List<String> history = new ArrayList<>();

    NodeProtocolModelTest(TestDatabase database) {
        this.database = database;
        source.setUrl(
                "jdbc:postgresql://127.0.0.1:" + database.server().port() + "/" + database.name() + "?user=postgres");
    }

    /** A node as the model knows it. */
    private static final class Node {
        final NodeIdentity identity;
        /** Those that the node itself believes to have. */
        final Set<String> own = new TreeSet<>();
        /** Those in its row; empty: there is none. */
        final Set<String> row = new TreeSet<>();

        final List<String> claims = new ArrayList<>();

        @Nullable
        DedicatedSession session;

        int returned;
        boolean replaced;

        Node(NodeIdentity identity, DedicatedSession session, Set<String> features) {
            this.identity = identity;
            this.session = session;
            own.addAll(features);
            row.addAll(features);
        }

        boolean isThere() {
            return !row.isEmpty() && row.containsAll(own);
        }
    }

    /** A feature whose claims are rows of a table. */
    private record Claims(String feature, List<Boolean> counted) implements NodeMember {
        @Override
        public ServerWatch server() {
            throw new UnsupportedOperationException();
        }

        @Override
        public List<String> channels() {
            return List.of();
        }

        @Override
        public Map<AdvisoryLock, String> locks() {
            return Map.of();
        }

        @Override
        public Set<Integer> look(DedicatedSession open, boolean thorough) {
            return Set.of();
        }

        @Override
        public void heard(DedicatedSession open, PGNotification[] notifications) {}

        @Override
        public void back() {}

        @Override
        public void leave(DedicatedSession open, boolean present) {}

        @Override
        public ClaimRecovery recovery(int node) {
            return new ClaimRecovery() {
                @Override
                public boolean next(DedicatedSession open, boolean counts) throws SQLException {
                    boolean found = open.update(RECOVER, node, feature) > 0;
                    if (found) counted.add(counts);
                    return found;
                }

                @Override
                public void ended(DedicatedSession open, boolean complete) {
                    assertThat(complete).isTrue();
                }
            };
        }
    }

    @BeforeEach
    void makeTables() throws SQLException {
        try (Connection connection = database.connect()) {
            NodeSchema.MIGRATIONS.migrate(connection);
        }
        database.execute("CREATE TABLE claim (id integer GENERATED ALWAYS AS IDENTITY, node integer, feature text)");
    }

    @AfterEach
    void closeSessions() {
        for (Node each : nodes) if (each.session != null) each.session.close();
    }

    @ParameterizedTest
    @ValueSource(longs = 1)
    void protocol_inRandomOrder_isThatOfTheModel(long seed) throws SQLException {
        Random random = new Random(seed);
        enter(random, null);
        for (int step = 0; step < 150; step++) {
            List<Node> alive =
                    nodes.stream().filter(each -> each.session != null).toList();
            Node any = nodes.get(random.nextInt(nodes.size()));
            Node one = alive.isEmpty() ? null : alive.get(random.nextInt(alive.size()));
            int what = random.nextInt(100);
            if (one == null || what < 12 && alive.size() < 6) enter(random, null);
            else if (what < 18) lose(one);
            else if (what < 30) claim(random, one);
            else if (what < 36) leave(random, one);
            else if (what < 40) join(one);
            else if (what < 45) comeBack(any);
            else if (what < 50) replace(random, any);
            else if (what < 65) watch(one);
            else rescue(random, one, any);
            assertRows();
        }
        assertThat(history).hasSizeGreaterThan(100);
    }

    private DedicatedSession session() throws SQLException {
        DedicatedSession session = NodePresence.open(ConnectionSource.of(source));
        // The steps of the others take longer than a session may be silent where the machine has other work.
        if (database.server().isAtLeast(14))
            try (Statement statement = session.connection().createStatement()) {
                statement.execute("SET idle_session_timeout = 0");
            }
        return session;
    }

    private void enter(Random random, @Nullable NodeIdentity former) throws SQLException {
        Set<String> features = new TreeSet<>(FEATURES);
        if (random.nextInt(3) == 0) features.remove(FEATURES.get(random.nextInt(2)));
        DedicatedSession session = session();
        NodeIdentity identity = NodeIdentity.enter(session, "model", former, features.toArray(String[]::new));
        nodes.add(new Node(identity, session, features));
        history.add("enter " + identity.id() + " " + features);
    }

    private void lose(Node node) throws SQLException {
        close(node);
        history.add("lose " + node.identity.id());
    }

    /** The server has noticed it when this returns. */
    private void close(Node node) {
        DedicatedSession open = node.session;
        if (open == null) return;
        node.session = null;
        open.close();
        int id = node.identity.id();
        Awaitility.await("the lock is free").until(() -> {
            try (Connection connection = database.connect();
                    var statement = LOCKED.prepare(connection, id);
                    ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getInt(1) == 0;
            }
        });
    }

    private void claim(Random random, Node node) throws SQLException {
        if (!node.isThere()) return;
        String feature = List.copyOf(node.own).get(random.nextInt(node.own.size()));
        session(node).update(CLAIM, node.identity.id(), feature);
        node.claims.add(feature);
        history.add("claim " + node.identity.id() + " " + feature);
    }

    private void leave(Random random, Node node) throws SQLException {
        String feature = List.copyOf(node.own).get(random.nextInt(node.own.size()));
        if (node.claims.contains(feature)) return;
        node.identity.leave(session(node), feature);
        node.row.remove(feature);
        node.own.remove(feature);
        if (node.own.isEmpty()) close(node);
        history.add("leave " + node.identity.id() + " " + feature);
        if (node.row.isEmpty() && node.own.isEmpty()) nodes.remove(node);
        if (nodes.isEmpty()) enter(random, null);
    }

    private void join(Node node) throws SQLException {
        for (String feature : FEATURES) {
            if (node.own.contains(feature)) continue;
            try (ResultSet row = session(node)
                    .query(
                            JOIN,
                            node.identity.id(),
                            node.identity.incarnation(),
                            feature,
                            node.own.toArray(String[]::new))) {
                assertThat(row.next())
                        .as("%s joins %s, %s", feature, node.identity, history)
                        .isEqualTo(node.isThere());
            }
            if (!node.isThere()) return;
            node.own.add(feature);
            node.row.add(feature);
            history.add("join " + node.identity.id() + " " + feature);
        }
    }

    private void comeBack(Node node) throws SQLException {
        if (node.session != null || node.own.isEmpty()) return;
        DedicatedSession opened = session();
        try (ResultSet row = opened.query(
                PRESENT, node.identity.id(), node.identity.incarnation(), node.own.toArray(String[]::new))) {
            boolean back = row.next();
            assertThat(back).as("%s comes back, %s", node.identity, history).isEqualTo(node.isThere());
            if (back) {
                assertThat(row.getBoolean(1)).isTrue();
                assertThat(row.getBoolean(2)).isTrue();
                node.session = opened;
                node.returned++;
            }
        }
        if (node.session == null) opened.close();
        history.add("back " + node.identity.id());
    }

    /** The program of a node that has lost its session goes on as another. */
    private void replace(Random random, Node node) throws SQLException {
        if (node.session != null || node.replaced || node.own.isEmpty()) return;
        enter(random, node.identity);
        node.replaced = !node.row.isEmpty();
        node.own.clear();
        history.add("replaced " + node.identity.id());
    }

    private void watch(Node node) throws SQLException {
        try (ResultSet row = session(node)
                .query(WATCH, node.identity.id(), node.identity.incarnation(), node.own.toArray(String[]::new))) {
            row.next();
            assertThat(row.getBoolean(1))
                    .as("%s is there, %s", node.identity, history)
                    .isEqualTo(node.isThere());
            Set<Integer> free = Set.of((Integer[]) row.getArray("ids").getArray());
            assertThat(free)
                    .as("free locks, %s", history)
                    .isEqualTo(nodes.stream()
                            .filter(each -> each != node && each.session == null)
                            .filter(each -> each.row.stream().anyMatch(node.own::contains))
                            .map(each -> each.identity.id())
                            .collect(Collectors.toSet()));
        }
        history.add("watch " + node.identity.id());
    }

    /** With what the node saw of the other: perhaps before that came back for a moment. */
    private void rescue(Random random, Node node, Node other) throws SQLException {
        String feature = List.copyOf(node.own).get(random.nextInt(node.own.size()));
        int seen = Math.max(0, other.returned - random.nextInt(2));
        List<Boolean> counted = new ArrayList<>();
        NodeMember claims = new Claims(feature, counted);
        new NodeRescuer(node.identity.id(), claims.feature(), claims::recovery)
                .rescue(session(node), other.identity.id(), seen, false);
        boolean isDead =
                other != node && other.session == null && (seen == other.returned || !other.row.contains(feature));
        List<String> recovered =
                isDead ? other.claims.stream().filter(feature::equals).toList() : List.of();
        assertThat(counted)
                .as("recovery of %s of %s by %s, %s", feature, other.identity, node.identity, history)
                .hasSize(recovered.size());
        if (!recovered.isEmpty()) assertThat(new HashSet<>(counted)).containsExactly(!other.replaced);
        history.add("rescue " + other.identity.id() + " " + feature + " " + isDead);
        if (!isDead) return;
        other.claims.removeAll(List.of(feature));
        other.row.remove(feature);
        if (other.row.isEmpty() && other.replaced) nodes.remove(other);
    }

    private static DedicatedSession session(Node node) {
        return Objects.requireNonNull(node.session);
    }

    private void assertRows() throws SQLException {
        List<String> expected = nodes.stream()
                .filter(each -> !each.row.isEmpty())
                .map(each -> each.identity.id() + " " + each.row + " " + each.returned + " " + each.replaced)
                .sorted()
                .toList();
        List<String> found = new ArrayList<>();
        try (Connection connection = database.connect();
                var statement = ROWS.prepare(connection);
                ResultSet row = statement.executeQuery()) {
            while (row.next())
                found.add(row.getInt(1) + " "
                        + new TreeSet<>(List.of(row.getString(2).split(" "))) + " " + row.getInt(3) + " "
                        + row.getBoolean(4));
        }
        found.sort(null);
        assertThat(found).as("rows after %s", history).isEqualTo(expected);
    }
}
