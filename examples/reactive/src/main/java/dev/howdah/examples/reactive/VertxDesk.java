package dev.howdah.examples.reactive;

import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;

/** Takes orders with the client of Vert.x. */
final class VertxDesk {
    private final Pool pool;

    VertxDesk(Pool pool) {
        this.pool = pool;
    }

    /** Completes when the order and its job are committed. */
    Future<Long> place(String customer) {
        return pool.withTransaction(connection -> insert(connection, customer)
                .compose(order -> connection
                        .preparedQuery("SELECT id FROM howdah.add('default', 'confirm', $1::jsonb)")
                        .execute(Tuple.of(new JsonObject().put("order", order)))
                        .map(order)));
    }

    /** Places many orders of one customer: one statement adds their jobs. */
    Future<Integer> placeMany(String customer, int orders) {
        return pool.withTransaction(connection -> connection
                .preparedQuery(
                        "WITH placed AS (INSERT INTO orders (customer) SELECT $1 FROM generate_series(1, $2) RETURNING id)"
                                + " SELECT count(*) FROM howdah.add_many('default', 'confirm',"
                                + " ARRAY(SELECT json_build_object('order', id) FROM placed))")
                .execute(Tuple.of(customer, orders))
                .map(rows -> rows.iterator().next().getInteger(0)));
    }

    private static Future<Long> insert(SqlConnection connection, String customer) {
        return connection
                .preparedQuery("INSERT INTO orders (customer) VALUES ($1) RETURNING id")
                .execute(Tuple.of(customer))
                .map(rows -> rows.iterator().next().getLong("id"));
    }
}
