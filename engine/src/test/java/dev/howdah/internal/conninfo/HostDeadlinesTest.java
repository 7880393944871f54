package dev.howdah.internal.conninfo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TcpProxy;
import dev.howdah.fixtures.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.postgresql.PGProperty;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.hostchooser.GlobalHostStatusTracker;
import org.postgresql.hostchooser.HostStatus;
import org.postgresql.util.HostSpec;

/** Servers that take a connection and then keep silent, or hang up, while it starts. */
@PostgresTest
class HostDeadlinesTest {
    private final TestDatabase database;

    HostDeadlinesTest(TestDatabase database) {
        this.database = database;
    }

    private PGSimpleDataSource at(TcpProxy proxy) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl("jdbc:postgresql://127.0.0.1:" + proxy.port() + "/" + database.name()
                + "?user=postgres&sslmode=disable&gssEncMode=disable");
        return source;
    }

    @Test
    void connect_onlyServerIsSlow_isTriedAgain() throws SQLException {
        try (TcpProxy proxy = TcpProxy.to("127.0.0.1", database.server().port())) {
            proxy.dropBehind(0);
            try (Connection connection = HostDeadlines.connect(at(proxy), 1, 300)) {
                assertThat(connection.isValid(0)).isTrue();
                assertThat(connection.getNetworkTimeout()).isZero();
            }
        }
    }

    /** A session that listens is opened as any other is, and then waits for a ring, however long that takes. */
    @Test
    void connect_ofASessionThatListens_hasTheSecondRoundAndNoDeadlineAfterIt() throws SQLException {
        try (TcpProxy proxy = TcpProxy.to("127.0.0.1", database.server().port())) {
            proxy.dropBehind(0);
            DataSource listening = ListenSource.of(at(proxy));
            assertThat(((PGSimpleDataSource) listening).getSocketTimeout()).isZero();
            try (Connection connection = HostDeadlines.connect((PGSimpleDataSource) listening, 1, 300)) {
                assertThat(connection.isValid(0)).isTrue();
                assertThat(connection.getNetworkTimeout()).isZero();
            }
        }
    }

    @Test
    void connect_ofASessionThatListens_keepsTheUsersDeadlines() throws SQLException {
        try (TcpProxy proxy = TcpProxy.to("127.0.0.1", database.server().port())) {
            PGSimpleDataSource own = at(proxy);
            own.setSocketTimeout(7);
            own.setConnectTimeout(8);
            PGSimpleDataSource listening = (PGSimpleDataSource) ListenSource.of(own);
            assertThat(listening.getConnectTimeout()).isEqualTo(8);
            try (Connection connection = HostDeadlines.connect((PGSimpleDataSource) listening, 1, 1)) {
                assertThat(connection.getNetworkTimeout()).isEqualTo(7_000);
            }
        }
    }

    @Test
    void connect_onlyServerStaysSilent_saysSo() {
        try (TcpProxy proxy = TcpProxy.to("127.0.0.1", database.server().port())) {
            proxy.freeze();
            assertThatThrownBy(() -> HostDeadlines.connect(at(proxy), 1, 1))
                    .isInstanceOf(SQLException.class)
                    .hasMessage("no server answered: Read timed out");
        }
    }

    private PGSimpleDataSource atTwo(int first, int second) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl("jdbc:postgresql://127.0.0.1:" + first + ",127.0.0.1:" + second + "/" + database.name()
                + "?user=postgres&sslmode=disable&gssEncMode=disable&targetServerType=primary");
        return source;
    }

    @Test
    void host_thatKeptSilent_isRememberedForAMinute() throws SQLException {
        PGSimpleDataSource two = atTwo(1, 2);
        assertThat(HostDeadlines.limited(two, 1).getHostRecheckSeconds()).isEqualTo(60);
        two.setHostRecheckSeconds(3);
        assertThat(HostDeadlines.limited(two, 1).getHostRecheckSeconds()).isEqualTo(3);
    }

    @Test
    void connect_primaryRefusesAndStandbyWasPromoted_isOfTheFormerStandby() throws Exception {
        int gone = 1;
        try (TcpProxy promoted = TcpProxy.to("127.0.0.1", database.server().port())) {
            GlobalHostStatusTracker.reportHostStatus(new HostSpec("127.0.0.1", gone), HostStatus.Primary);
            GlobalHostStatusTracker.reportHostStatus(new HostSpec("127.0.0.1", promoted.port()), HostStatus.Secondary);
            try (Connection connection = HostDeadlines.connect(atTwo(gone, promoted.port()), 10, 10)) {
                assertThat(connection.isValid(0)).isTrue();
            }
        }
    }

    @Test
    void copy_hasEveryProperty() throws SQLException {
        PGSimpleDataSource source = atTwo(1, 2);
        for (PGProperty each : PGProperty.values()) {
            boolean isOfHost = each == PGProperty.PG_HOST || each == PGProperty.PG_PORT;
            if (!isOfHost) source.setProperty(each, otherThan(each.getDefaultValue()));
        }
        PGSimpleDataSource copy = HostDeadlines.copy(source);
        for (PGProperty each : PGProperty.values())
            assertThat(copy.getProperty(each)).as(each.getName()).isEqualTo(source.getProperty(each));
        assertThat(copy.getURL()).isEqualTo(source.getURL());
        assertThat(copy.getPassword()).isEqualTo("7");
        assertThat(copy.getServerNames()).isEqualTo(source.getServerNames());
        assertThat(copy.getPortNumbers()).containsExactly(1, 2);
    }

    private static String otherThan(@Nullable String usual) {
        return "7".equals(usual) ? "8" : "7";
    }

    @Test
    void host_thatComesFirst_isTriedBeforeTheOthers() throws SQLException {
        PGSimpleDataSource two = atTwo(1, 2);
        assertThat(HostDeadlines.beginningWith(new HostSpec("127.0.0.1", 2), two)
                        .getPortNumbers())
                .containsExactly(2, 1);
        assertThat(HostDeadlines.beginningWith(new HostSpec("elsewhere", 2), two)
                        .getPortNumbers())
                .containsExactly(1, 2);
        assertThat(two.getPortNumbers()).containsExactly(1, 2);
        assertThat(HostDeadlines.beginningWith(new HostSpec("127.0.0.1", 1), two))
                .as("it is the first already")
                .isSameAs(two);
        two.setLoadBalanceHosts(true);
        assertThat(HostDeadlines.beginningWith(new HostSpec("127.0.0.1", 1), two)
                        .getProperty(PGProperty.LOAD_BALANCE_HOSTS))
                .isEqualTo("false");
    }
}
