package dev.howdah.reach.internal.document;

import dev.howdah.internal.run.Threads;
import dev.howdah.reach.internal.call.ReachFailure;
import dev.howdah.reach.internal.call.ReachFailure.Code;
import dev.howdah.reach.internal.child.ChildJava;
import dev.howdah.reach.internal.child.Tail;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A process that fills templates and makes PDF. It ends when its standard input does, hence also when this program is killed. One run at a
 * time; it may be ended from any thread.
 */
final class RenderProcess {
    private static final Logger log = LoggerFactory.getLogger(RenderProcess.class);
    private static final String MAIN = "dev.howdah.documents.internal.RenderMain";
    private static final int LARGEST = 33 << 20;

    private static final int READY = 2;

    private final long started = System.nanoTime();
    private final Process process;
    private final DataOutputStream input;
    private final DataInputStream output;
    private final Tail errors;

    private RenderProcess(Process process) {
        this.process = process;
        this.input = new DataOutputStream(new BufferedOutputStream(process.getOutputStream()));
        this.output = new DataInputStream(new BufferedInputStream(process.getInputStream(), 65_536));
        this.errors = new Tail(process.getErrorStream());
        Threads.daemon("howdah-render-errors", errors).start();
    }

    /**
     * What was made.
     *
     * @param pages 0 where it has none
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Made(byte[] bytes, int pages) {}

    /**
     * Starts one.
     *
     * @param fonts files of fonts besides those that come along
     */
    static RenderProcess start(String classPath, List<String> fonts) throws ReachFailure, IOException {
        try {
            Class.forName(MAIN, false, RenderProcess.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw ReachFailure.lasting(
                    Code.PROGRAM,
                    "no document can be made: the module howdah-documents is not on the class path of this program");
        }
        List<String> arguments = new ArrayList<>(List.of(MAIN));
        arguments.addAll(fonts);
        ProcessBuilder builder = ChildJava.of(List.of(), List.of("-Xss1m"), classPath, arguments)
                .directory(Path.of("").toAbsolutePath().toFile());
        return new RenderProcess(builder.start());
    }

    /** Waits until it takes requests. */
    void awaitReady() throws ReachFailure {
        try {
            if (output.readUnsignedByte() == READY) return;
        } catch (IOException e) {
            // It has ended.
        }
        throw lost();
    }

    /** How long it has computed up to now; where the system does not say that, the time that has passed. */
    Duration computed() {
        return process.info().totalCpuDuration().orElseGet(() -> Duration.ofNanos(System.nanoTime() - started));
    }

    /**
     * Makes a document.
     *
     * @param request as the program of the process takes it
     */
    Made run(byte[] request) throws ReachFailure, IOException {
        try {
            input.writeInt(request.length);
            input.write(request);
            input.flush();
            if (output.readUnsignedByte() != 0)
                throw ReachFailure.lasting(Code.RENDERING, new String(bytes(), StandardCharsets.UTF_8));
            int pages = output.readInt();
            return new Made(bytes(), pages);
        } catch (IOException e) {
            throw lost();
        }
    }

    private byte[] bytes() throws IOException {
        int length = output.readInt();
        if (length < 0 || length > LARGEST) throw new IOException("an answer of " + length + " bytes");
        byte[] bytes = output.readNBytes(length);
        if (bytes.length < length) throw new IOException("half an answer");
        return bytes;
    }

    private ReachFailure lost() {
        try {
            if (!process.waitFor(1, TimeUnit.SECONDS)) end();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            end();
        }
        String said = errors.text().strip();
        if (!said.isEmpty()) log.warn("the process that makes documents has ended: {}", said);
        List<String> memory = List.of("OutOfMemoryError", "insufficient memory");
        return memory.stream().anyMatch(said::contains)
                ? ReachFailure.lasting(
                        Code.RENDERING,
                        "the document needs more memory than the process that makes it has, " + ChildJava.HEAP + "B")
                : ReachFailure.passing(Code.INTERNAL, "the process that makes documents has ended", null);
    }

    boolean isAlive() {
        return process.isAlive();
    }

    void end() {
        process.destroyForcibly();
    }
}
