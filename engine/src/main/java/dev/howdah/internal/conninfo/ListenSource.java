package dev.howdah.internal.conninfo;

import java.sql.SQLException;
import java.util.Properties;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.ds.common.BaseDataSource;

/** The data source of a session that listens: one of {@link PromptSockets}, if the data source can be asked for such. */
public final class ListenSource {
    private ListenSource() {}

    /** The same database by the same way; the data source itself if it is, or hides, none of pgjdbc's own. */
    public static DataSource of(DataSource source) throws SQLException {
        if (!source.isWrapperFor(BaseDataSource.class)) return source;
        BaseDataSource own = source.unwrap(BaseDataSource.class);
        if (own.getSocketFactory() != null) return source;
        Properties sockets = new Properties();
        sockets.setProperty(PromptSockets.WANTED, "true");
        LiveSockets.KeepAlive.of(keyword -> null).addTo(sockets);
        PromptSockets.replaceIn(sockets);
        if (sockets.isEmpty()) return source;
        PGSimpleDataSource copy = HostDeadlines.copy(own);
        copy.setSocketFactory(sockets.getProperty("socketFactory"));
        copy.setSocketFactoryArg(sockets.getProperty("socketFactoryArg"));
        return copy;
    }
}
