package dev.howdah.daemon.cli.top;

import dev.howdah.daemon.cli.top.list.TopAction;
import dev.howdah.daemon.cli.top.list.TopPage;
import java.util.List;

/** Something that changes what is shown. */
sealed interface TopEvent {
    /** A key was pressed. */
    record Pressed(TopKey key) implements TopEvent {}

    /** The terminal has another size, or has to be drawn again. */
    record Resized(int width, int height) implements TopEvent {}

    /** A list was read. */
    record Read(TopQuery query, TopPage page) implements TopEvent {}

    /** The details of a row were read. */
    record Details(List<String> lines) implements TopEvent {}

    /** What a key would do with a row. */
    record Asked(TopAction action) implements TopEvent {}

    /** Something was done, or refused. */
    record Said(String sentence) implements TopEvent {}

    /** Nothing can be read; it is tried again. */
    record Failed(String sentence) implements TopEvent {}

    /** The terminal, or a signal, wants the end. */
    record Quit(boolean interrupted) implements TopEvent {}
}
