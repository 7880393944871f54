package dev.howdah.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.process.query.ProcessOrder;
import dev.howdah.process.query.ProcessPage;
import dev.howdah.process.query.ProcessQuery;
import dev.howdah.process.query.ProcessSummary;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
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
        database.execute("INSERT INTO howdah_internal.process_namespace (name) VALUES ('ns');"
                + " INSERT INTO howdah_internal.process (namespace, id, status, previous_status)"
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

    private List<String> pages(ProcessQuery first) {
        ProcessReader reader = ProcessReader.on(Scripted.dataSource(database));
        List<String> found = new ArrayList<>();
        for (ProcessQuery query = first; query != null; ) {
            ProcessPage page = reader.page(query);
            page.processes().forEach(each -> found.add(each.id()));
            query = page.next();
        }
        return found;
    }

    @Test
    void orders_areThoseOfIdsAndOfStartAndTheirReverse() {
        ProcessQuery all = ProcessQuery.of("ns").limit(2);
        for (ProcessQuery each :
                List.of(all, all.prefix("order-"), all.status(ProcessStatus.ERROR), all.status(ProcessStatus.RUNNING)))
            for (ProcessOrder[] both : new ProcessOrder[][] {
                {ProcessOrder.ID, ProcessOrder.REVERSE_ID}, {ProcessOrder.OLDEST, ProcessOrder.NEWEST}
            }) {
                List<String> reverse = pages(each.order(both[1]));
                assertThat(reverse).isNotEmpty().doesNotHaveDuplicates();
                Collections.reverse(reverse);
                assertThat(pages(each.order(both[0]))).isEqualTo(reverse);
            }
        assertThat(pages(all.order(ProcessOrder.NEWEST)))
                .containsExactly("refund-1", "orde%", "ordinary", "order-3", "order-2", "order-1", "invoice-1");
        assertThat(pages(all.order(ProcessOrder.REVERSE_ID)))
                .isEqualTo(ids(ProcessQuery.of("ns").order(ProcessOrder.REVERSE_ID)));
        assertThatThrownBy(() -> all.order(ProcessOrder.NEWEST).after("order-1"))
                .hasMessage("no place in a list by the time of start: \"order-1\"");
    }

    @Test
    void page_ofARareMatch_looksAtABoundedNumberAndGoesOn() {
        database.execute(
                "INSERT INTO howdah_internal.process (namespace, id, status, previous_status)"
                        + " SELECT 1, 'order-x' || i, 'running', 'init' FROM generate_series(1, 20000) i; ANALYZE howdah_internal.process");
        ProcessReader reader = ProcessReader.on(Scripted.dataSource(database));
        ProcessQuery refunds = ProcessQuery.of("ns").prefix("refund").order(ProcessOrder.OLDEST);
        ProcessQuery invoices = ProcessQuery.of("ns").prefix("invoice").order(ProcessOrder.NEWEST);
        assertThat(reader.page(refunds).processes()).hasSize(1);
        ProcessPage none = reader.page(invoices);
        assertThat(none.processes()).isEmpty();
        assertThat(none.isSearched()).isTrue();
        assertThat(pages(invoices)).containsExactly("invoice-1");
        ProcessPage first =
                reader.page(ProcessQuery.of("ns").status(ProcessStatus.INIT).order(ProcessOrder.REVERSE_ID));
        assertThat(first.processes()).isEmpty();
        assertThat(first.isSearched()).isTrue();
        ProcessPage second = reader.page(Objects.requireNonNull(first.next()));
        assertThat(second.isSearched()).isFalse();
    }
}
