package dev.howdah.daemon.cli.sweep;

import dev.howdah.daemon.console.Terminal;
import dev.howdah.daemon.work.ChildProgram;
import dev.howdah.internal.run.Threads;
import dev.howdah.sweep.Sweep;
import org.jspecify.annotations.Nullable;

/** The stop of this process before the end of a sweep: nothing begins any more, and rows in work are finished. Safe for use by many threads. */
final class SweepStop {
    private final Terminal terminal;
    private @Nullable Sweep sweep;
    private @Nullable ChildProgram program;
    private boolean isAsked;
    private boolean isGone;

    SweepStop(Terminal terminal) {
        this.terminal = terminal;
    }

    /** @param rows the program that works on rows; null: there is none */
    synchronized void begun(Sweep begun, @Nullable ChildProgram rows) {
        sweep = begun;
        program = rows;
        if (isAsked) leave();
    }

    /** The user wants it. */
    synchronized void ask() {
        say("stopping: rows in work are finished, nothing else begins; Ctrl-C again ends at once");
        isAsked = true;
        leave();
    }

    /** The program is not there any more. */
    synchronized void gone() {
        isGone = true;
        leave();
    }

    private void leave() {
        if (program != null) program.end();
        Sweep left = sweep;
        if (left != null) Threads.daemon("howdah-sweep-stop", left::close).start();
    }

    /** The user does not want to wait for that. */
    void hurry() {
        ChildProgram running = program();
        if (running != null) running.killAll();
        say("in a hurry, ending at once");
    }

    private synchronized @Nullable ChildProgram program() {
        return program;
    }

    synchronized boolean isGone() {
        return isGone;
    }

    private void say(String text) {
        terminal.err().println("howdah: " + text);
        terminal.err().flush();
    }
}
