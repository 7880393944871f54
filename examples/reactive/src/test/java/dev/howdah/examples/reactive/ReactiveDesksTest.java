package dev.howdah.examples.reactive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import io.r2dbc.spi.ConnectionFactories;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Orders and their jobs are committed together by clients that are not blocking, and handled by a node of JDBC. */
@PostgresTest
class ReactiveDesksTest {
    private record Confirmation(long order) {}

    private interface Desk {
        long place(String customer) throws Exception;
    }

    private static final Kind<Confirmation> CONFIRM = Kind.of("confirm", Confirmation.class);

    private final TestDatabase database;
    private final PGSimpleDataSource source = new PGSimpleDataSource();
    private final BlockingQueue<Long> confirmed = new LinkedBlockingQueue<>();

    ReactiveDesksTest(TestDatabase database) {
        this.database = database;
        source.setURL(
                "jdbc:postgresql://127.0.0.1:" + database.server().port() + "/" + database.name() + "?user=postgres");
    }

    @BeforeEach
    void orders() {
        database.execute("CREATE TABLE orders (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, customer text)");
        database.execute("CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
                + " $$BEGIN RAISE EXCEPTION 'no order of %', NEW.customer; END$$");
        database.execute("CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON orders DEFERRABLE INITIALLY DEFERRED"
                + " FOR EACH ROW WHEN (NEW.customer = 'nobody') EXECUTE FUNCTION refuse()");
    }

    private Jobs node() {
        return Jobs.on(source)
                .handle(CONFIRM, (confirmation, job) -> confirmed.add(confirmation.order()))
                .start();
    }

    private void check(Desk desk) throws Exception {
        // The constraint is checked at the commit, behind the job.
        assertThatThrownBy(() -> desk.place("nobody")).hasStackTraceContaining("no order of nobody");
        long order = desk.place("ann");
        assertThat(confirmed.poll(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS)).isEqualTo(order);
        assertThat(database.value("SELECT string_agg(id || ' ' || customer, ', ') FROM orders"))
                .isEqualTo(order + " ann");
        assertThat(database.value("SELECT count(*)::text FROM howdah.jobs")).isEqualTo("1");
    }

    @Test
    void order_andItsJob_areCommittedTogether_byVertx() throws Exception {
        Vertx vertx = Vertx.vertx();
        Pool pool = PgBuilder.pool()
                .connectingTo(new PgConnectOptions()
                        .setHost("127.0.0.1")
                        .setPort(database.server().port())
                        .setDatabase(database.name())
                        .setUser("postgres"))
                .using(vertx)
                .build();
        try (Jobs node = node()) {
            VertxDesk desk = new VertxDesk(pool);
            check(customer -> desk.place(customer)
                    .toCompletionStage()
                    .toCompletableFuture()
                    .get());
            assertThat(desk.placeMany("ann", 20)
                            .toCompletionStage()
                            .toCompletableFuture()
                            .get())
                    .isEqualTo(20);
            for (int i = 0; i < 20; i++)
                assertThat(confirmed.poll(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS))
                        .isNotNull();
        } finally {
            pool.close().toCompletionStage().toCompletableFuture().get();
            vertx.close().toCompletionStage().toCompletableFuture().get();
        }
    }

    @Test
    void order_andItsJob_areCommittedTogether_byR2dbc() throws Exception {
        R2dbcDesk desk = new R2dbcDesk(ConnectionFactories.get(
                "r2dbc:postgresql://postgres@127.0.0.1:" + database.server().port() + "/" + database.name()));
        try (Jobs node = node()) {
            check(customer ->
                    java.util.Objects.requireNonNull(desk.place(customer).block(Patience.LIMIT)));
        }
    }
}
