package dev.howdah.process.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.internal.SeededModel;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Batches of results written to a table that is a map, while connections are lost before and after the commit, the server is short of
 * resources, some items are refused with their first result, some with any, and some are too large to be sent. Each item is written once,
 * with its own result unless that was refused; whatever its neighbours are.
 */
class WriteRetryModelTest implements SeededModel, WriteRetry.Target<WriteRetryModelTest.Item> {
    private static final int BATCHES = 2_000;

    /** What the database thinks of the item. */
    enum Kind {
        GOOD,
        BAD_RESULT,
        BAD_ROW,
        TOO_LARGE
    }

    static final class Item {
        final int id;
        final Kind kind;

        @Nullable
        String refusal;

        Item(int id, Kind kind) {
            this.id = id;
            this.kind = kind;
        }
    }

    private Random random = new Random();
    private String where = "";
    private final Map<Integer, String> table = new HashMap<>();
    private final Set<Integer> closed = new HashSet<>();
    private boolean over;
    private boolean sessionBroken;
    private boolean failing;
    private int failures;
    private int writes;

    @Override
    public void run(long seed) {
        random = new Random(seed);
        WriteRetry<Item> retry = new WriteRetry<>(this);
        int id = 0;
        for (int batch = 0; batch < BATCHES; batch++) {
            where = "seed " + seed + ", batch " + batch;
            table.clear();
            closed.clear();
            over = false;
            failing = false;
            failures = 0;
            writes = 0;
            List<Item> items = new ArrayList<>();
            for (int i = random.nextInt(6); i >= 0; i--) items.add(new Item(++id, kind()));
            try {
                retry.write(List.copyOf(items));
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            check(items);
        }
    }

    private Kind kind() {
        return random.nextInt(4) > 0 ? Kind.GOOD : Kind.values()[random.nextInt(Kind.values().length)];
    }

    private void check(List<Item> items) {
        assertThat(sessionBroken).as("%s: a broken session is kept", where).isFalse();
        if (over) return;
        if (items.stream().noneMatch(each -> each.kind == Kind.BAD_ROW))
            assertThat(failing).as("%s: an outage goes on", where).isFalse();
        for (Item item : items) {
            String expected = switch (item.kind) {
                case GOOD -> "result";
                case BAD_RESULT -> "refused: value of " + item.id;
                case TOO_LARGE -> "refused: java.lang.IllegalStateException: too large";
                case BAD_ROW -> null;
            };
            assertThat(table.get(item.id))
                    .as("%s: item %s, %s", where, item.id, item.kind)
                    .isEqualTo(expected);
            assertThat(closed.contains(item.id))
                    .as("%s: item %s, %s, is given up", where, item.id, item.kind)
                    .isEqualTo(item.kind == Kind.BAD_ROW);
        }
        if (items.stream().allMatch(each -> each.kind == Kind.GOOD))
            assertThat(writes).as("%s: statements", where).isEqualTo(1 + failures);
    }

    @Override
    public boolean isOver() {
        if (random.nextInt(500) == 0) over = true;
        return over;
    }

    @Override
    public void write(List<Item> items) throws SQLException {
        assertThat(over).as("%s: writes after the end", where).isFalse();
        assertThat(sessionBroken).as("%s: writes in a broken session", where).isFalse();
        assertThat(items).as("%s: items", where).isNotEmpty();
        writes++;
        if (random.nextInt(8) == 0) throw lost();
        if (random.nextInt(20) == 0) throw new SQLException("out of memory", "53200");
        for (Item item : items) {
            if (item.kind == Kind.TOO_LARGE && item.refusal == null) {
                sessionBroken = true;
                throw new IllegalStateException("too large");
            }
            if (item.kind == Kind.BAD_ROW || item.kind == Kind.BAD_RESULT && item.refusal == null)
                throw new SQLException("value of " + item.id, "22021");
        }
        for (Item item : items)
            table.putIfAbsent(item.id, item.refusal == null ? "result" : "refused: " + item.refusal);
        if (random.nextInt(8) == 0) throw lost();
    }

    private SQLException lost() {
        sessionBroken = true;
        return new SQLException("connection lost", "08006");
    }

    @Override
    public void worked() {
        failing = false;
    }

    @Override
    public void failed(SQLException error) {
        failing = true;
        failures++;
        if ("08006".equals(error.getSQLState())) sessionBroken = false;
    }

    @Override
    public void closeSession() {
        sessionBroken = false;
    }

    @Override
    public boolean refuse(Item item, String reason) {
        assertThat(item.kind)
                .as("%s: item %s is refused: %s", where, item.id, reason)
                .isNotEqualTo(Kind.GOOD);
        if (item.refusal != null) {
            assertThat(closed.add(item.id))
                    .as("%s: item %s is given up once", where, item.id)
                    .isTrue();
            return false;
        }
        item.refusal = reason;
        return true;
    }
}
