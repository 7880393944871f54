package dev.howdah.internal.conninfo;

import java.io.EOFException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.EnumSet;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGProperty;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.ds.common.BaseDataSource;
import org.postgresql.util.HostSpec;

/**
 * Deadlines for each host of a URL, for the start-up as well. Without {@code socketTimeout} pgjdbc waits without end for a host
 * that takes the TCP connection and says nothing, as a frozen server does, and never reaches the next host; {@code
 * loginTimeout} is one deadline for all hosts, which the first one uses up.
 */
public final class HostDeadlines {
    private static final int STARTUP_SECONDS = 10;

    /** For the second round: a host may be slow rather than frozen. */
    private static final int LONG_STARTUP_SECONDS = 30;

    /** What pgjdbc remembers of the hosts of a URL by default, in seconds. */
    private static final int DRIVER_RECHECK_SECONDS = 10;

    /**
     * For so long a host that kept silent is not tried before the others: each connection to it costs its deadline anew, and a
     * node opens several, one after the other.
     */
    private static final int RECHECK_SECONDS = 60;

    private static final String CANNOT_CONNECT = "08001";

    private static final Set<PGProperty> OWN_SETTERS = EnumSet.of(
            PGProperty.PG_HOST, PGProperty.PG_PORT, PGProperty.PG_DBNAME, PGProperty.USER, PGProperty.PASSWORD);

    private HostDeadlines() {}

    /**
     * A copy without deadlines of this class: those of {@link #connect} take what a data source has for the user's own. Property by
     * property, since pgjdbc's own copy goes through an object stream, which takes tens of milliseconds in a program that starts.
     */
    static PGSimpleDataSource copy(BaseDataSource source) throws SQLException {
        PGSimpleDataSource copy = new PGSimpleDataSource();
        for (PGProperty each : PGProperty.values()) {
            String value = OWN_SETTERS.contains(each) ? null : source.getProperty(each);
            if (value != null && !value.equals(each.getDefaultValue())) copy.setProperty(each, value);
        }
        copy.setServerNames(source.getServerNames());
        copy.setPortNumbers(source.getPortNumbers());
        copy.setDatabaseName(source.getDatabaseName());
        copy.setUser(source.getUser());
        copy.setPassword(source.getPassword());
        return copy;
    }

    /** A copy that waits so long at most for a host to be reached, and for each of its answers, unless it has limits of its own. */
    static PGSimpleDataSource limited(BaseDataSource source, int seconds) throws SQLException {
        PGSimpleDataSource copy = copy(source);
        if (copy.getConnectTimeout() <= 0) copy.setConnectTimeout(seconds);
        if (copy.getSocketTimeout() <= 0) copy.setSocketTimeout(seconds);
        int hosts = copy.getServerNames().length;
        if (hosts > 1 && copy.getHostRecheckSeconds() == DRIVER_RECHECK_SECONDS)
            copy.setHostRecheckSeconds(RECHECK_SECONDS);
        int all = hosts * (copy.getConnectTimeout() + copy.getSocketTimeout());
        if (hosts > 1 && copy.getLoginTimeout() > 0) copy.setLoginTimeout(Math.max(copy.getLoginTimeout(), all));
        return copy;
    }

    /**
     * A connection of that data source; of one of pgjdbc that is no pool, within these deadlines. Where no host answers in
     * time, or one hangs up, all hosts are tried once more with a longer deadline; where none is suitable, once more without
     * regard to what was found before.
     *
     * @param first the host to begin with; null: the first one of the data source
     */
    public static Connection connect(DataSource source, @Nullable HostSpec first) throws SQLException {
        if (!(source instanceof PGSimpleDataSource own) || !isPlain(source)) return source.getConnection();
        return connect(first == null ? own : beginningWith(first, own), STARTUP_SECONDS, LONG_STARTUP_SECONDS);
    }

    /**
     * Whether it is pgjdbc's own that is no pool, or extends that and connects in no other way: such as one whose
     * {@code getPassword} gives a token that is valid for minutes.
     */
    public static boolean isPlain(DataSource source) {
        if (!(source instanceof PGSimpleDataSource)) return false;
        if (source.getClass() == PGSimpleDataSource.class) return true;
        try {
            return source.getClass().getMethod("getConnection").getDeclaringClass() == BaseDataSource.class
                    && source.getClass()
                                    .getMethod("getConnection", String.class, String.class)
                                    .getDeclaringClass()
                            == BaseDataSource.class;
        } catch (NoSuchMethodException e) {
            return false;
        }
    }

    /** A copy that tries that host before the others; the data source itself where it does so already, or has no such host. */
    static PGSimpleDataSource beginningWith(HostSpec first, PGSimpleDataSource source) throws SQLException {
        String[] names = source.getServerNames();
        int[] ports = source.getPortNumbers();
        int place = 0;
        while (place < names.length && !(names[place].equals(first.getHost()) && ports[place] == first.getPort()))
            place++;
        boolean isFirst = place == 0 && (names.length == 1 || !balances(source));
        if (place == names.length || isFirst) return source;
        names = names.clone();
        ports = ports.clone();
        System.arraycopy(names, 0, names, 1, place);
        System.arraycopy(ports, 0, ports, 1, place);
        names[0] = first.getHost();
        ports[0] = first.getPort();
        PGSimpleDataSource copy = copy(source);
        copy.setServerNames(names);
        copy.setPortNumbers(ports);
        copy.setLoadBalanceHosts(false);
        return copy;
    }

    /** Its getter says only whether the property is there. */
    private static boolean balances(PGSimpleDataSource source) {
        return Boolean.parseBoolean(source.getProperty(PGProperty.LOAD_BALANCE_HOSTS));
    }

    static Connection connect(PGSimpleDataSource own, int seconds, int longSeconds) throws SQLException {
        Connection connection;
        try {
            connection = limited(own, seconds).getConnection();
        } catch (SQLException e) {
            if (isOfSilence(e)) connection = connectAgain(own, longSeconds);
            else if (mayBeOutdated(own, e)) connection = connectToAny(own, seconds);
            else throw e;
        }
        try {
            connection.setNetworkTimeout(Runnable::run, Math.max(own.getSocketTimeout(), 0) * 1_000);
            return connection;
        } catch (SQLException | RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    private static Connection connectAgain(PGSimpleDataSource own, int seconds) throws SQLException {
        try {
            return limited(own, seconds).getConnection();
        } catch (SQLException e) {
            // The message of pgjdbc says only that the attempt failed.
            Throwable cause = e.getCause();
            if (cause == null || !isOfSilence(e)) throw e;
            throw new SQLException("no server answered: " + cause.getMessage(), e.getSQLState(), e);
        }
    }

    /** Returns whether another host might be of use that was skipped, as a standby was before its promotion. */
    private static boolean mayBeOutdated(PGSimpleDataSource own, SQLException e) {
        return own.getServerNames().length > 1 && CANNOT_CONNECT.equals(e.getSQLState());
    }

    /** A connection of any host, whatever is remembered of them. */
    private static Connection connectToAny(PGSimpleDataSource own, int seconds) throws SQLException {
        PGSimpleDataSource forgetful = limited(own, seconds);
        forgetful.setHostRecheckSeconds(0);
        return forgetful.getConnection();
    }

    /** Returns whether a host was reached and then kept silent, or hung up. */
    private static boolean isOfSilence(SQLException e) {
        Throwable cause = e.getCause();
        return cause instanceof SocketTimeoutException
                || cause instanceof EOFException
                || (cause != null && cause.getClass() == SocketException.class); // a subclass: it was not reached
    }
}
