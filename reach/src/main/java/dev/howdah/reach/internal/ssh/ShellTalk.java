package dev.howdah.reach.internal.ssh;

import dev.howdah.reach.internal.call.AnswerText;
import dev.howdah.reach.internal.call.Call;
import dev.howdah.reach.internal.call.Credential;
import dev.howdah.reach.internal.call.ReachFailure;
import dev.howdah.reach.internal.call.ReachFailure.Code;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/**
 * A session with a device that talks only in a shell: each line of the input is sent when the prompt has come. Lines that begin with
 * {@code @} are for this class: {@code @expect REGEX} waits for something else than the prompt, {@code @secret NAME} sends a
 * secret of the credential, {@code @prompt REGEX} sets the prompt, {@code @timeout 20s} the time for each answer, {@code @optional} says that the next line
 * may be refused; {@code @@} is a line with one {@code @}. For one thread, and used once.
 */
final class ShellTalk {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final int LARGEST = 1 << 20;
    private static final int SEEN = 4_096;
    private static final int MOST_PAGES = 1_000;
    private static final int MOST_PIECES = 64;
    private static final Duration LONGEST_MATCH = Duration.ofSeconds(1);

    private final Call call;
    private final Device device;
    private final OutputStream to;
    private final BlockingQueue<String> pieces = new LinkedBlockingQueue<>(MOST_PIECES);
    private final StringBuilder output = new StringBuilder();
    private final DeviceAnswer answer = new DeviceAnswer();
    private volatile boolean isOver;
    private Pattern prompt;
    private Duration timeout = TIMEOUT;
    private String last = "";
    private boolean expecting;
    private boolean optional;
    private int number;

    ShellTalk(Call call, Device device, OutputStream to) {
        this.call = call;
        this.device = device;
        this.to = to;
        this.prompt = device.prompt();
    }

    /** Reads what the device writes, until its end or that of {@link #run}; in a thread of its own. */
    void read(InputStream from) {
        char[] some = new char[8_192];
        try {
            Reader text = new InputStreamReader(from, StandardCharsets.UTF_8);
            for (int count = text.read(some); count >= 0; count = text.read(some))
                if (count > 0 && !give(new String(some, 0, count))) return;
        } catch (IOException e) {
            // As its end.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        try {
            give("");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** A device that writes faster than its answer is read has to wait. */
    private boolean give(String piece) throws InterruptedException {
        while (!isOver) if (pieces.offer(piece, 1, TimeUnit.SECONDS)) return true;
        return false;
    }

    /** Sends the lines; returns what the device has answered. */
    String run() throws ReachFailure, IOException, InterruptedException {
        try {
            return talk();
        } catch (TimedText.TooLongException | StackOverflowError e) {
            throw failure("line " + number + ": the pattern takes too long to match with what the device wrote", null);
        } finally {
            isOver = true;
        }
    }

    private String talk() throws ReachFailure, IOException, InterruptedException {
        await(prompt);
        for (String each : device.first()) {
            send(each);
            await(prompt);
        }
        output.setLength(0);
        List<String> lines = new ArrayList<>(call.task().input().lines().toList());
        for (int i = 0; i < lines.size(); i++) {
            number = i + 1;
            String line = lines.get(i);
            if (line.startsWith("@") && !line.startsWith("@@")) {
                direct(line);
                continue;
            }
            String plain = line.startsWith("@@") ? line.substring(1) : line;
            if (!plain.matches("[^\\p{Cc}]*|[^\\p{Cc}\\t]*"))
                throw failure("line " + number + " has a control character", null);
            last = plain;
            send(plain);
            // The next line says what is waited for.
            boolean expects = i + 1 < lines.size() && lines.get(i + 1).startsWith("@expect ");
            if (!expects) check(await(prompt));
            optional = false;
        }
        send(device.leave());
        return output.toString();
    }

    private void direct(String line) throws ReachFailure, IOException, InterruptedException {
        int blank = line.indexOf(' ');
        String word = blank < 0 ? line : line.substring(0, blank);
        String rest = blank < 0 ? "" : line.substring(blank + 1).strip();
        switch (word) {
            case "@expect" -> {
                expecting = true;
                await(pattern(rest));
                expecting = false;
            }
            case "@prompt" -> prompt = pattern(rest);
            case "@timeout" -> {
                if (!rest.matches("[1-9][0-9]{0,3}s"))
                    throw failure("line " + number + ": a time is such as 20s", null);
                timeout = Duration.ofSeconds(Long.parseLong(rest.substring(0, rest.length() - 1)));
            }
            case "@secret" -> {
                last = "***";
                send(secret(rest));
                check(await(prompt));
            }
            case "@optional" -> optional = true;
            default ->
                throw failure(
                        "line " + number
                                + " is none of @expect, @prompt, @timeout, @secret, @optional; @@ begins a line with @",
                        null);
        }
    }

    private String secret(String name) throws ReachFailure {
        Credential credential = call.credential();
        String secret = credential == null ? null : credential.secrets().get(name);
        if (secret == null) throw failure("line " + number + ": the credential has no secret \"" + name + "\"", null);
        return secret;
    }

    private Pattern pattern(String text) throws ReachFailure {
        try {
            return Pattern.compile("(?:" + text + ")\\s*$");
        } catch (PatternSyntaxException e) {
            throw failure("line " + number + " has no pattern: " + e.getDescription(), null);
        }
    }

    private void send(String line) throws IOException {
        answer.clear();
        to.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        to.flush();
    }

    /** Waits for what the device writes to end so; returns it without the echo of the line, and without that end. */
    private String await(Pattern end) throws ReachFailure, IOException, InterruptedException {
        long until = System.nanoTime() + timeout.toNanos();
        int pages = 0;
        while (true) {
            String piece = pieces.poll(Math.max(until - System.nanoTime(), 0), TimeUnit.NANOSECONDS);
            if (call.cancellation().isCancelled()) throw new InterruptedException();
            if (piece == null)
                throw failure(
                        "the prompt did not come within " + timeout.toSeconds() + " s after "
                                + (number == 0 ? "the login" : "line " + number + ": \"" + last + "\""),
                        AnswerText.shown(answer.last(500)));
            if (piece.isEmpty()) throw new IOException("the device has ended the session");
            answer.add(piece + waiting());
            if (output.length() + answer.length() > LARGEST)
                throw failure("the device answered more than " + LARGEST / 1024 + " KiB", null);
            String seen = answer.last(SEEN);
            int before = answer.length() - seen.length();
            Matcher pager = device.pager().matcher(seen);
            if (pager.find() && pages++ < MOST_PAGES) {
                answer.cut(before + pager.start());
                to.write(' ');
                to.flush();
                continue;
            }
            Matcher found = end.matcher(new TimedText(seen, LONGEST_MATCH));
            if (found.find()) return said(answer.first(before + found.start()));
        }
    }

    /** What has come meanwhile, so that a device that writes by the character is not looked at after each of them. */
    private String waiting() {
        StringBuilder more = new StringBuilder();
        for (String next = pieces.peek(); next != null && !next.isEmpty(); next = pieces.peek())
            more.append(pieces.poll());
        return more.toString();
    }

    private String said(String text) {
        int line = text.indexOf('\n');
        boolean echo = !last.isEmpty() && (line < 0 ? text : text.substring(0, line)).contains(last);
        String rest = echo ? line < 0 ? "" : text.substring(line + 1) : text;
        // A question that was waited for is no answer.
        if (expecting) rest = rest.substring(0, rest.lastIndexOf('\n') + 1);
        if (!rest.isBlank() && number > 0) output.append(rest.stripTrailing()).append('\n');
        return rest;
    }

    private void check(String text) throws ReachFailure {
        if (optional) return;
        Matcher refused = device.refused().matcher(text);
        if (refused.find())
            throw failure(
                    "the device refused line " + number + ": \"" + last + "\"", AnswerText.shown(refused.group()));
    }

    private ReachFailure failure(String message, @Nullable String detail) {
        ReachFailure failure = ReachFailure.lasting(Code.LINE, message, detail, null);
        return output.length() == 0 ? failure : failure.after(output.toString());
    }
}
