package dev.howdah.benchmarks.faults;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A {@link NodeProgram}, or another that takes the same arguments, as a process. */
final class NodeProcess {
    private final Process process;
    private final Path file;

    private NodeProcess(Process process, Path file) {
        this.process = process;
        this.file = file;
    }

    static NodeProcess start(Class<?> program, String address, Path directory, int number) throws IOException {
        Path file = directory.resolve("node-" + number + ".said");
        Process process = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Dorg.slf4j.simpleLogger.defaultLogLevel=info",
                        "-cp",
                        System.getProperty("java.class.path"),
                        program.getName(),
                        address,
                        file.toString()))
                .redirectError(ProcessBuilder.Redirect.appendTo(
                        directory.resolve("nodes.log").toFile()))
                .redirectOutput(directory.resolve("node-" + number + ".out").toFile())
                .start();
        return new NodeProcess(process, file);
    }

    Path file() {
        return file;
    }

    long pid() {
        return process.pid();
    }

    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** In good order; says whether it ended in time. */
    boolean stop() throws IOException, InterruptedException {
        process.getOutputStream().close();
        return process.waitFor(60, TimeUnit.SECONDS);
    }
}
