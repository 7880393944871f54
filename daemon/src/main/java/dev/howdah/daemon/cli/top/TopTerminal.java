package dev.howdah.daemon.cli.top;

import dev.howdah.daemon.console.CliException;
import dev.howdah.internal.run.Threads;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jline.terminal.Attributes;
import org.jline.terminal.Size;
import org.jline.terminal.Terminal;
import org.jline.terminal.Terminal.Signal;
import org.jline.terminal.Terminal.SignalHandler;
import org.jline.terminal.TerminalBuilder;
import org.jline.terminal.TerminalBuilder.SystemOutput;
import org.jline.utils.AttributedString;
import org.jline.utils.Display;
import org.jline.utils.InfoCmp.Capability;
import org.jspecify.annotations.Nullable;

/**
 * The terminal while it belongs to the program: keys come one by one and are not echoed, and the screen is the other one, so that what
 * stood there comes back. It is given back once, however the program ends.
 */
final class TopTerminal implements AutoCloseable {
    private static final String SENTENCE = "howdah top needs a terminal; for other programs there are"
            + " \"howdah task list --json\", \"howdah job list --json\" and the like";

    private final Terminal terminal;
    private final Attributes before;
    private final Display display;
    private final AtomicBoolean closed = new AtomicBoolean();
    private @Nullable Size painted;

    private TopTerminal(Terminal terminal) {
        this.terminal = terminal;
        this.before = terminal.enterRawMode();
        this.display = new Display(terminal, true);
        terminal.puts(Capability.enter_ca_mode);
        terminal.puts(Capability.cursor_invisible);
        terminal.flush();
    }

    /**
     * Takes the terminal of this process.
     *
     * @throws CliException if there is none
     */
    static TopTerminal open() {
        try {
            Terminal terminal = TerminalBuilder.builder()
                    .system(true)
                    .systemOutput(SystemOutput.SysOut)
                    .dumb(false)
                    .nativeSignals(true)
                    .build();
            if (terminal.getStringCapability(Capability.cursor_address) == null) {
                terminal.close();
                throw CliException.failed("howdah top needs a terminal that can place its cursor, which "
                        + terminal.getType() + " cannot");
            }
            return new TopTerminal(terminal);
        } catch (IOException | IllegalStateException e) {
            throw CliException.failed(SENTENCE, e);
        }
    }

    /** What is said where there is no terminal. */
    static CliException missing() {
        return CliException.failed(SENTENCE);
    }

    /** Whether it has colours. */
    boolean hasColours() {
        Integer colours = terminal.getNumericCapability(Capability.max_colors);
        return colours != null && colours >= 8;
    }

    /** Tells of keys and sizes from now on, in threads of its own. */
    void listen(Consumer<TopEvent> sink) {
        terminal.handle(Signal.INT, signal -> sink.accept(new TopEvent.Quit(true)));
        // A program that is stopped would leave the screen as it is.
        terminal.handle(Signal.TSTP, SignalHandler.SIG_IGN);
        terminal.handle(Signal.WINCH, signal -> sink.accept(size()));
        terminal.handle(Signal.CONT, signal -> {
            terminal.enterRawMode();
            sink.accept(size());
        });
        sink.accept(size());
        Threads.daemon("howdah-top-keys", () -> keys(sink)).start();
    }

    private void keys(Consumer<TopEvent> sink) {
        TopKeyReader keys = new TopKeyReader(terminal.reader());
        try {
            for (TopKey key = keys.next(); key != null; key = keys.next()) sink.accept(new TopEvent.Pressed(key));
        } catch (IOException e) {
            // The terminal is gone, as the end of its input says.
            sink.accept(new TopEvent.Quit(false));
            return;
        }
        sink.accept(new TopEvent.Quit(false));
    }

    private TopEvent.Resized size() {
        Size size = terminal.getSize();
        return new TopEvent.Resized(Math.max(1, size.getColumns()), Math.max(1, size.getRows()));
    }

    void paint(List<AttributedString> lines, int width, int height) {
        Size size = new Size(width, height);
        if (!size.equals(painted)) {
            display.clear();
            display.resize(height, width);
            painted = size;
        }
        display.update(lines, 0);
    }

    /** Gives the terminal back; safe for use by many threads. */
    void giveBack() {
        if (!closed.compareAndSet(false, true)) return;
        terminal.puts(Capability.exit_attribute_mode);
        terminal.puts(Capability.cursor_normal);
        terminal.puts(Capability.exit_ca_mode);
        terminal.flush();
        terminal.setAttributes(before);
    }

    @Override
    public void close() {
        giveBack();
        try {
            terminal.close();
        } catch (IOException e) {
            throw CliException.failed("the terminal could not be given back: " + e.getMessage(), e);
        }
    }
}
