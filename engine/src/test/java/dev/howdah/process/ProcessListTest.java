package dev.howdah.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.process.query.ProcessQuery;
import dev.howdah.process.query.ProcessSummary;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Lists of processes by the beginnings of their ids. */
@PostgresTest
class ProcessListTest {
    private final TestDatabase database;

    ProcessListTest(TestDatabase database) {
        this.database = database;
    }

    @BeforeEach
    void fill() {
        Processes.on(Scripted.dataSource(database)).start().close();
        database.execute("INSERT INTO howdah.process_namespace (name) VALUES ('ns');"
                + " INSERT INTO howdah.process (namespace, id, status, previous_status)"
                + " SELECT 1, i, CASE WHEN i = 'order-2' THEN 'error' ELSE 'running' END, 'init'"
                + " FROM unnest('{invoice-1,order-1,order-2,order-3,ordinary,\"orde%\",refund-1}'::text[]) i");
    }

    private List<String> ids(ProcessQuery query) {
        return ProcessReader.on(Scripted.dataSource(database)).list(query).stream()
                .map(ProcessSummary::id)
                .toList();
    }

    @Test
    void prefix_ofIds_findsThoseThatBeginWithIt() {
        ProcessQuery all = ProcessQuery.of("ns");
        assertThat(ids(all)).hasSize(7);
        assertThat(ids(all.prefix(""))).hasSize(7);
        assertThat(ids(all.prefix("order-"))).containsExactly("order-1", "order-2", "order-3");
        assertThat(ids(all.prefix("orde%"))).containsExactly("orde%");
        assertThat(ids(all.prefix("order-1"))).containsExactly("order-1");
        assertThat(ids(all.prefix("none"))).isEmpty();
    }

    @Test
    void prefix_withStatusAndPage_narrowsBoth() {
        ProcessQuery orders = ProcessQuery.of("ns").prefix("order-");
        assertThat(ids(orders.status(ProcessStatus.ERROR))).containsExactly("order-2");
        assertThat(ids(orders.limit(2))).containsExactly("order-1", "order-2");
        assertThat(ids(orders.limit(2).after("order-2"))).containsExactly("order-3");
    }
}
