package dev.howdah.examples.reactive;

import io.r2dbc.spi.Connection;
import io.r2dbc.spi.ConnectionFactory;
import io.r2dbc.spi.Result;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

/** Takes orders with R2DBC. */
final class R2dbcDesk {
    private final ConnectionFactory connections;

    R2dbcDesk(ConnectionFactory connections) {
        this.connections = connections;
    }

    /** Emits the order when it and its job are committed. */
    Mono<Long> place(String customer) {
        return Mono.usingWhen(
                connections.create(),
                connection -> Mono.from(connection.beginTransaction())
                        .then(insert(connection, customer))
                        .flatMap(order -> add(connection, order).thenReturn(order))
                        .flatMap(order ->
                                Mono.from(connection.commitTransaction()).thenReturn(order)),
                Connection::close,
                (connection, error) -> rollback(connection),
                R2dbcDesk::rollback);
    }

    private static Mono<Long> insert(Connection connection, String customer) {
        return one(connection
                .createStatement("INSERT INTO orders (customer) VALUES ($1) RETURNING id")
                .bind("$1", customer)
                .execute());
    }

    /** The server makes the JSON, and no text has to be put together. */
    private static Mono<Long> add(Connection connection, long order) {
        return one(connection
                .createStatement(
                        "SELECT id FROM howdah.add('default', 'confirm', json_build_object('order', $1::bigint))")
                .bind("$1", order)
                .execute());
    }

    private static Mono<Long> one(Publisher<? extends Result> answer) {
        return Mono.from(answer).flatMap(result -> Mono.from(result.map(row -> row.get("id", Long.class))));
    }

    private static Publisher<Void> rollback(Connection connection) {
        return Mono.from(connection.rollbackTransaction()).then(Mono.from(connection.close()));
    }
}
