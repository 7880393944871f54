package dev.howdah.reach.internal.driver;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * The program of a driver's process. Statements come by standard input and run one run at a time; a run is cancelled between, and the
 * process ends when its input does, also in the middle of a run.
 */
public final class DriverMain {
    private static final int LONGEST = 64 << 20;

    private DriverMain() {}

    /** Reads frames until there are no more. */
    public static void main(String[] arguments) {
        DataOutputStream output =
                new DataOutputStream(new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 65_536));
        // A driver that prints would break the frames.
        System.setOut(System.err);
        ExecutorService runs = Executors.newSingleThreadExecutor();
        try (DataInputStream input = new DataInputStream(new BufferedInputStream(System.in))) {
            DriverLibrary library = new DriverLibrary(List.of());
            StatementRun run = null;
            for (int kind = input.read(); kind >= 0; kind = input.read()) {
                if (kind == DriverFrames.DRIVERS) {
                    library = new DriverLibrary(groups(input));
                } else if (kind == DriverFrames.RUN) {
                    StatementRun next = new StatementRun(
                            library, text(input), properties(input), input.readBoolean(), texts(input), output);
                    run = next;
                    runs.execute(next);
                } else if (run != null) {
                    run.cancel();
                }
            }
        } catch (IOException | RuntimeException e) {
            e.printStackTrace();
        }
        // Also where a statement or a driver's thread still runs.
        Runtime.getRuntime().halt(0);
    }

    private static List<List<String>> groups(DataInputStream input) throws IOException {
        int count = input.readInt();
        List<List<String>> groups = new ArrayList<>();
        for (int i = 0; i < count; i++) groups.add(texts(input));
        return groups;
    }

    private static Properties properties(DataInputStream input) throws IOException {
        int count = input.readInt();
        Properties all = new Properties();
        for (int i = 0; i < count; i++) all.setProperty(text(input), text(input));
        return all;
    }

    private static List<String> texts(DataInputStream input) throws IOException {
        int count = input.readInt();
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < count; i++) texts.add(text(input));
        return texts;
    }

    private static String text(DataInputStream input) throws IOException {
        return String.valueOf(DriverFrames.read(input, LONGEST));
    }
}
