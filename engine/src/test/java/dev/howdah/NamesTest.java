package dev.howdah;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.job.Jobs;
import dev.howdah.process.Intent;
import dev.howdah.process.Namespace;
import dev.howdah.process.Processes;
import dev.howdah.process.command.Command;
import dev.howdah.sweep.Sweep;
import dev.howdah.task.NewTask;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Names that programs give: none has a character that logs and terminals carry out. */
class NamesTest {
    private static final String BAD = "a\u009b2J";

    @Test
    void names_withAControlCharacter_areRefused() {
        PGSimpleDataSource source = new PGSimpleDataSource();
        List<ThrowingCallable> calls = List.of(
                () -> Namespace.of(BAD, (task, process) -> Intent.none()),
                () -> Command.of(BAD, Void.class, Void.class),
                () -> Sweep.on(source).name(BAD),
                () -> Jobs.on(source).nodeName(BAD),
                () -> Processes.on(source).nodeName(BAD),
                () -> Sweep.on(source).nodeName(BAD),
                () -> NewTask.of("SELECT 1").group(BAD),
                () -> NewTask.of("SELECT 1").column("group", BAD));
        for (ThrowingCallable each : calls)
            assertThatThrownBy(each)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageMatching(
                            "the name of a (namespace|command|sweep|node|group) has the character U\\+009B at position 2:"
                                    + " it can have no control characters, and none that change the direction of writing");
    }
}
