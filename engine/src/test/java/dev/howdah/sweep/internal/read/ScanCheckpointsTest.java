package dev.howdah.sweep.internal.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.sweep.internal.statements.ReadStatements;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Places that a pass remembers for the next one. */
class ScanCheckpointsTest {
    private static List<String> walk(ScanCheckpoints marks) {
        List<String> seen = new ArrayList<>();
        marks.rewind();
        for (List<String> next = marks.next(); next != null; next = marks.next()) {
            seen.addAll(next);
            marks.reach();
        }
        return seen;
    }

    private static void read(ScanCheckpoints marks, int from, int to) {
        for (int i = from; i <= to; i++) marks.passed(10, List.of(Integer.toString(i)));
    }

    @Test
    void milestones_asManyAsThereMayBe_areFarApartRatherThanMore() {
        ScanCheckpoints marks = new ScanCheckpoints(20, 8);
        read(marks, 1, 16);
        assertThat(walk(marks)).containsExactly("2", "4", "6", "8", "10", "12", "14", "16");
        read(marks, 17, 18);
        assertThat(walk(marks)).containsExactly("4", "8", "12", "16", "18");
        read(marks, 19, 1_000);
        assertThat(walk(marks)).hasSizeBetween(4, 8).doesNotHaveDuplicates();
    }

    @Test
    void stretches_longerAndShorter_reachEveryRowUpToTheLastMilestone() {
        ScanCheckpoints marks = new ScanCheckpoints(10, 100);
        assertThat(marks.next()).isNull();
        read(marks, 1, 10);
        assertThat(marks.shorten(2)).isFalse();
        marks.lengthen();
        marks.lengthen();
        assertThat(walk(marks)).containsExactly("4", "8", "10");
        assertThat(marks.shorten(2)).isTrue();
        assertThat(walk(marks)).containsExactly("2", "4", "6", "8", "10");
        assertThat(marks.shorten(4)).isTrue();
        assertThat(walk(marks)).hasSize(10);
    }

    @Test // also when those between have been dropped meanwhile
    void stretches_readAWhileAgo_areGivenOnceAndInTurn() {
        ScanCheckpoints marks = new ScanCheckpoints(10, 4);
        read(marks, 1, 3);
        assertThat(marks.isBehind(System.nanoTime() - 3_600_000_000_000L)).isFalse();
        assertThat(marks.isBehind(System.nanoTime())).isTrue();
        KeyCursor.Stretch first = marks.takeBehind(ReadStatements.Segment.ALL);
        assertThat(first.behind()).isNull();
        assertThat(first.end()).containsExactly("1");
        assertThat(marks.takeBehind(ReadStatements.Segment.ALL).end()).containsExactly("2");
        read(marks, 4, 5); // 2, 4 and 5 are left
        KeyCursor.Stretch next = marks.takeBehind(ReadStatements.Segment.ALL);
        assertThat(next.behind()).containsExactly("2");
        assertThat(next.end()).containsExactly("4");
        assertThat(marks.takeBehind(ReadStatements.Segment.ALL).end()).containsExactly("5");
        assertThat(marks.isBehind(System.nanoTime())).isFalse();
    }
}
