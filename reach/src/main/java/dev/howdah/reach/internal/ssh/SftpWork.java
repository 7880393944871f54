package dev.howdah.reach.internal.ssh;

import dev.howdah.reach.internal.call.AnswerText;
import dev.howdah.reach.internal.call.Call;
import dev.howdah.reach.internal.call.ReachFailure;
import dev.howdah.reach.internal.call.ReachFailure.Code;
import dev.howdah.reach.internal.call.Target;
import dev.howdah.reach.internal.document.DocumentFiles;
import dev.howdah.spi.reach.ReachDocument;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.sshd.client.session.ClientSession;
import org.apache.sshd.sftp.client.SftpClient;
import org.apache.sshd.sftp.client.SftpClientFactory;
import org.apache.sshd.sftp.common.SftpConstants;
import org.apache.sshd.sftp.common.SftpException;
import org.jspecify.annotations.Nullable;

/** Files of another host: put, get, move, list and delete one. A file that is put is whole or not there. Safe for use by many threads. */
final class SftpWork {
    private static final int LARGEST = 1 << 20;
    private static final int MOST_ENTRIES = 10_000;

    private final DocumentFiles documents = new DocumentFiles();

    /** Where the task and its credential may go. */
    interface Rules {
        /** The folders below which all has to lie, as those of a place and those of a credential are; empty for everywhere. */
        List<List<String>> folders(Target target);

        /** Refuses a target that may not be reached. */
        void check(Target target) throws ReachFailure;
    }

    String run(Call call, ClientSession session, Rules rules) throws ReachFailure, IOException, InterruptedException {
        Target target = call.target();
        String path = path(target);
        String work = work(call);
        try (SftpClient files = SftpClientFactory.instance().createSftpClient(session)) {
            // What is put, moved or deleted takes the place of a link, and does not follow it.
            boolean follows = work.equals("get") || work.equals("list");
            for (List<String> each : rules.folders(target)) refuseLinks(files, each, path, follows);
            return switch (work) {
                case "get" -> get(call, files, path);
                case "put" -> put(call, files, path);
                case "list" -> list(target, files, path);
                case "move" -> move(call, files, path, rules);
                case "delete" -> {
                    files.remove(path);
                    yield "deleted";
                }
                default ->
                    throw ReachFailure.lasting(
                            Code.ADDRESS, "the option op is get, put, move, list or delete, not \"" + work + "\"");
            };
        } catch (SftpException e) {
            boolean lasting = e.getStatus() == SftpConstants.SSH_FX_NO_SUCH_FILE
                    || e.getStatus() == SftpConstants.SSH_FX_PERMISSION_DENIED;
            String what = target + " refused to " + work;
            throw lasting
                    ? ReachFailure.lasting(Code.EXIT, what, AnswerText.shown(e.getMessage()), null)
                    : ReachFailure.passing(Code.EXIT, what, AnswerText.shown(e.getMessage()));
        }
    }

    /** What is to be done, of the option {@code op}, or of what there is to send. */
    private static String work(Call call) throws ReachFailure {
        Target target = call.target();
        String given = target.option("op");
        String input = call.task().input();
        boolean sends = !input.isEmpty() || target.option("body") != null;
        String work = given == null ? sends ? "put" : "get" : given;
        if (target.option("body") != null && (!input.isEmpty() || !work.equals("put")))
            throw ReachFailure.lasting(
                    Code.ADDRESS, "the option body names a document to put, and goes with op=put and an empty input");
        String answer = target.option("answer");
        if (answer != null && (!answer.equals("document") && !answer.equals("text") || !work.equals("get")))
            throw ReachFailure.lasting(Code.ADDRESS, "the option answer is text or document, and goes with op=get");
        if ((target.option("to") != null) != work.equals("move"))
            throw ReachFailure.lasting(Code.ADDRESS, "the option to is the new name of a file, and goes with op=move");
        return work;
    }

    private static String path(Target target) throws ReachFailure {
        String path = URLDecoder.decode(target.path().replace("+", "%2B"), StandardCharsets.UTF_8);
        if (path.length() < 2 || path.endsWith("/") && !"list".equals(target.option("op")))
            throw ReachFailure.lasting(
                    Code.ADDRESS, "the name of a file has to follow the host: sftp://HOST/DIRECTORY/FILE");
        return checked(path);
    }

    private static String checked(String path) throws ReachFailure {
        if (path.matches("(?s).*(/\\.{1,2}(/.*)?$|\\p{Cc}|\\\\).*") || path.contains("/../") || path.contains("//"))
            throw ReachFailure.lasting(Code.ADDRESS, "the name of a file has no .. and no control characters in it");
        return path;
    }

    /** A link could lead out of the folder that is allowed, so there must be none below it. */
    private static void refuseLinks(SftpClient files, List<String> folders, String path, boolean last)
            throws ReachFailure, IOException {
        if (folders.isEmpty()) return;
        String folder = folders.stream()
                .filter(each -> path.startsWith(each + "/"))
                .findFirst()
                .orElseThrow(() -> ReachFailure.lasting(Code.NOT_ALLOWED, path + " does not lie below " + folders));
        for (int end = path.indexOf('/', folder.length() + 1); ; end = path.indexOf('/', end + 1)) {
            if (end < 0 && !last) return;
            String part = end < 0 ? path : path.substring(0, end);
            try {
                if (files.lstat(part).isSymbolicLink())
                    throw ReachFailure.lasting(
                            Code.NOT_ALLOWED,
                            part + " is a link, which may lead out of " + (folder.isEmpty() ? "/" : folder));
            } catch (SftpException e) {
                // What does not exist is no link; what comes next says so.
                if (e.getStatus() == SftpConstants.SSH_FX_NO_SUCH_FILE) return;
                throw e;
            }
            if (end < 0) return;
        }
    }

    private String get(Call call, SftpClient files, String path)
            throws IOException, ReachFailure, InterruptedException {
        Target target = call.target();
        if ("document".equals(target.option("answer"))) {
            String name = DocumentFiles.name(target.path(), "file");
            return documents.keep(
                    call,
                    name,
                    DocumentFiles.type(name),
                    () -> content(target, files, path, DocumentFiles.LARGEST, null));
        }
        byte[] bytes = content(
                target,
                files,
                path,
                LARGEST,
                "With the option answer=document it becomes a document, up to 16384 KiB.");
        String text = AnswerText.strictly(bytes, StandardCharsets.UTF_8);
        if (text == null)
            throw ReachFailure.lasting(
                    Code.ANSWER,
                    target + " has bytes that are no text",
                    null,
                    "With the option answer=document it becomes a document.");
        return text;
    }

    private static byte[] content(Target target, SftpClient files, String path, int largest, @Nullable String hint)
            throws IOException, ReachFailure {
        byte[] bytes;
        try (InputStream from = files.read(path)) {
            bytes = from.readNBytes(largest + 1);
        }
        if (bytes.length <= largest) return bytes;
        throw ReachFailure.lasting(Code.ANSWER, target + " has more than " + largest / 1024 + " KiB", null, hint);
    }

    /** To another name of the same host, where no file may be. */
    private static String move(Call call, SftpClient files, String path, Rules rules) throws IOException, ReachFailure {
        Target target = call.target();
        String given = String.valueOf(target.option("to"));
        if (!given.matches("/.*[^/]"))
            throw ReachFailure.lasting(
                    Code.ADDRESS, "the option to is the whole path of a file, such as /done/day.csv");
        String to = checked(given);
        Target aim = target.at(encoded(to));
        rules.check(aim);
        for (List<String> each : rules.folders(aim)) refuseLinks(files, each, to, false);
        boolean there = isThere(files, to);
        // By a run before this one, which has not come to say so.
        if (there && !isThere(files, path)) return "moved before";
        if (there) throw ReachFailure.lasting(Code.EXIT, target + " is not moved: there is a file " + to);
        files.rename(path, to);
        return "moved";
    }

    private static boolean isThere(SftpClient files, String path) throws IOException {
        try {
            files.lstat(path);
            return true;
        } catch (SftpException e) {
            if (e.getStatus() == SftpConstants.SSH_FX_NO_SUCH_FILE) return false;
            throw e;
        }
    }

    /** As a path stands in an address. */
    private static String encoded(String path) {
        return URLEncoder.encode(path, StandardCharsets.UTF_8)
                .replace("+", "%20")
                .replace("%2F", "/");
    }

    /** By way of a name that is the same in each run of the task: what a lost run has left is written over. */
    private static String put(Call call, SftpClient files, String path) throws IOException, ReachFailure {
        ReachDocument document = DocumentFiles.named(call, call.target().option("body"));
        int slash = path.lastIndexOf('/');
        String key = call.task().key();
        String temporary =
                path.substring(0, slash + 1) + "." + path.substring(slash + 1) + "." + key.substring(key.length() - 12);
        byte[] content = document == null ? call.task().input().getBytes(StandardCharsets.UTF_8) : document.bytes();
        try (OutputStream to = files.write(temporary)) {
            to.write(content);
        }
        try {
            files.rename(temporary, path, SftpClient.CopyMode.Overwrite);
        } catch (SftpException | UnsupportedOperationException e) {
            // The third version of the protocol does not rename over another file.
            try {
                files.remove(path);
            } catch (SftpException none) {
                // It was not there.
            }
            files.rename(temporary, path);
        }
        return "put " + content.length + " bytes";
    }

    private static String list(Target target, SftpClient files, String path) throws IOException, ReachFailure {
        List<String> lines = new ArrayList<>();
        for (SftpClient.DirEntry each : files.readDir(path)) {
            String name = each.getFilename();
            if (name.equals(".") || name.equals("..")) continue;
            if (lines.size() >= MOST_ENTRIES)
                throw ReachFailure.lasting(Code.ANSWER, target + " has more than " + MOST_ENTRIES + " files");
            SftpClient.Attributes facts = each.getAttributes();
            lines.add(name.replaceAll("\\p{Cc}", "?") + "\t" + facts.getSize() + "\t"
                    + (facts.isDirectory() ? "directory" : "file"));
        }
        lines.sort(null);
        return String.join("\n", lines);
    }
}
