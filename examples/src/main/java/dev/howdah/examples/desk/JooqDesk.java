package dev.howdah.examples.desk;

import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.table;

import dev.howdah.job.Jobs;
import org.jooq.DSLContext;
import org.jooq.Field;

/** With jOOQ. */
record JooqDesk(DSLContext sql, Jobs jobs) {
    private static final Field<Long> ID = field("id", Long.class);

    long place(String customer) {
        return sql.transactionResult(transaction -> {
            long order = transaction
                    .dsl()
                    .insertInto(table("orders"))
                    .set(field("customer", String.class), customer)
                    .returning(ID)
                    .fetchSingle(ID);
            transaction
                    .dsl()
                    .connection(connection -> jobs.add(connection, Confirmation.KIND, new Confirmation(order)));
            return order;
        });
    }
}
