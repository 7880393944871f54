package dev.howdah.calls;

import dev.howdah.fixtures.TestDatabase;
import org.postgresql.ds.PGSimpleDataSource;

/** Data sources of a test's database. */
final class Sources {
    private Sources() {}

    /** Without a pool. */
    static PGSimpleDataSource of(TestDatabase database) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl("jdbc:postgresql://" + database.uri().substring("postgresql://postgres@".length()));
        source.setUser("postgres");
        return source;
    }
}
