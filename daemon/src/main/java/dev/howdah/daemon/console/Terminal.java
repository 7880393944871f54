package dev.howdah.daemon.console;

import java.io.File;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;

/**
 * The surroundings of a command: its output, its input, and the environment.
 *
 * @param out for results
 * @param err for everything else that a person should see
 * @param in the standard input
 * @param environment the variables
 * @param screen whether {@code err} is a screen where a line can be written again
 * @param outScreen whether {@code out} is a terminal
 * @param inKeyboard whether {@code in} is a terminal
 * @param width how many characters a line of the terminal has
 */
public record Terminal(
        PrintStream out,
        PrintStream err,
        InputStream in,
        Map<String, String> environment,
        BooleanSupplier screen,
        BooleanSupplier outScreen,
        BooleanSupplier inKeyboard,
        IntSupplier width) {
    private static final int USUAL_WIDTH = 80;

    /** One without a screen. */
    public Terminal(PrintStream out, PrintStream err, InputStream in, Map<String, String> environment) {
        this(out, err, in, environment, () -> false);
    }

    /** One whose {@code out} is no screen. */
    public Terminal(
            PrintStream out, PrintStream err, InputStream in, Map<String, String> environment, BooleanSupplier screen) {
        this(out, err, in, environment, screen, () -> false, () -> false, () -> USUAL_WIDTH);
    }

    /** That of this process. It speaks UTF-8, whatever the locale says. */
    public static Terminal ofProcess() {
        return new Terminal(
                utf8(FileDescriptor.out),
                utf8(FileDescriptor.err),
                System.in,
                Map.copyOf(System.getenv()),
                () -> !"dumb".equals(System.getenv("TERM")) && isTerminal("2"),
                () -> isTerminal("1"),
                () -> isTerminal("0"),
                Terminal::widthOfProcess);
    }

    /** Java cannot tell: {@code COLUMNS}, or what {@code stty} says of the terminal of this process. */
    private static int widthOfProcess() {
        String set = System.getenv("COLUMNS");
        if (set != null && set.matches("[1-9]\\d{0,5}")) return Integer.parseInt(set);
        try {
            Process stty = new ProcessBuilder("stty", "size")
                    .redirectInput(new File("/dev/tty"))
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String said = new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
            return said.matches("\\d+ [1-9]\\d{0,5}") ? Integer.parseInt(said.split(" ")[1]) : USUAL_WIDTH;
        } catch (IOException e) {
            return USUAL_WIDTH;
        }
    }

    /** Java can only tell for all three streams at once. */
    private static boolean isTerminal(String descriptor) {
        try {
            return new ProcessBuilder("test", "-t", descriptor)
                            .redirectOutput(ProcessBuilder.Redirect.INHERIT)
                            .redirectError(ProcessBuilder.Redirect.INHERIT)
                            .redirectInput(ProcessBuilder.Redirect.INHERIT)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Tells whether results go to a terminal, and neither into a file nor to another program. */
    public boolean outIsScreen() {
        return outScreen.getAsBoolean();
    }

    /** Tells whether a person can be asked: the input and the messages are those of a terminal. */
    public boolean canAsk() {
        return inKeyboard.getAsBoolean() && screen.getAsBoolean();
    }

    /**
     * Asks before work ends or data is lost. Does nothing where there is no person, as in a script.
     *
     * @throws CliException if the answer is not yes
     */
    public void confirm(String question) {
        if (!canAsk()) return;
        err.print(question + " Type yes: ");
        err.flush();
        StringBuilder answer = new StringBuilder();
        try {
            for (int each = in.read(); each >= 0 && each != '\n'; each = in.read()) answer.append((char) each);
        } catch (IOException e) {
            throw CliException.failed("the answer could not be read: nothing was changed", e);
        }
        if (!answer.toString().strip().equalsIgnoreCase("yes")) throw CliException.failed("nothing was changed");
    }

    private static PrintStream utf8(FileDescriptor descriptor) {
        return new WatchedOutput(new FileOutputStream(descriptor));
    }
}
