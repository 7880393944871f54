package dev.howdah.reach.internal.child;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A program in a JVM of its own: memory is bounded apart, and what does not end can be killed. */
public final class ChildJava {
    /** How much memory it has. */
    public static final String HEAP = "256m";

    private ChildJava() {}

    /**
     * What starts it, with standard output for its answers alone and nothing of this program's environment.
     *
     * @param before words in front of the command, such as those that change the user
     * @param options more options of the JVM
     * @param arguments the class, and what it is given
     */
    public static ProcessBuilder of(
            List<String> before, List<String> options, String classPath, List<String> arguments) {
        List<String> command = new ArrayList<>(before);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(
                "-Xmx" + HEAP,
                "-XX:+UseSerialGC",
                "-XX:-UsePerfData",
                "-XX:+ExitOnOutOfMemoryError",
                "-XX:+DisplayVMOutputToStderr",
                "-Xshare:auto",
                "-Djava.awt.headless=true"));
        command.addAll(options);
        command.addAll(List.of("-cp", classPath));
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command);
        Map<String, String> environment = builder.environment();
        environment.clear();
        environment.put("PATH", "/usr/local/bin:/usr/bin:/bin");
        environment.put("LANG", "C.UTF-8");
        return builder;
    }
}
