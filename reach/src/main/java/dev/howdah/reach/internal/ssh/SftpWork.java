package dev.howdah.reach.internal.ssh;

import dev.howdah.reach.internal.call.AnswerText;
import dev.howdah.reach.internal.call.Call;
import dev.howdah.reach.internal.call.ReachFailure;
import dev.howdah.reach.internal.call.Target;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.sshd.client.session.ClientSession;
import org.apache.sshd.sftp.client.SftpClient;
import org.apache.sshd.sftp.client.SftpClientFactory;
import org.apache.sshd.sftp.common.SftpConstants;
import org.apache.sshd.sftp.common.SftpException;

/** Files of another host: put, get, list and delete one. A file that is put is whole or not there. */
final class SftpWork {
    private static final int LARGEST = 1 << 20;
    private static final int MOST_ENTRIES = 10_000;

    private SftpWork() {}

    /** @param folders below which the file has to lie, as those of a place and those of a credential are; empty for everywhere */
    static String run(Call call, ClientSession session, List<List<String>> folders) throws ReachFailure, IOException {
        Target target = call.target();
        String path = path(target);
        String given = target.option("op");
        String work = given == null ? call.task().input().isEmpty() ? "get" : "put" : given;
        try (SftpClient files = SftpClientFactory.instance().createSftpClient(session)) {
            // What is put or deleted takes the place of a link, and does not follow it.
            boolean follows = work.equals("get") || work.equals("list");
            for (List<String> each : folders) refuseLinks(files, each, path, follows);
            return switch (work) {
                case "get" -> get(target, files, path);
                case "put" -> put(call, files, path);
                case "list" -> list(target, files, path);
                case "delete" -> {
                    files.remove(path);
                    yield "deleted";
                }
                default ->
                    throw ReachFailure.lasting("the option op is get, put, list or delete, not \"" + work + "\"");
            };
        } catch (SftpException e) {
            boolean lasting = e.getStatus() == SftpConstants.SSH_FX_NO_SUCH_FILE
                    || e.getStatus() == SftpConstants.SSH_FX_PERMISSION_DENIED;
            String what = target + " refused to " + work;
            throw lasting
                    ? ReachFailure.lasting(what, AnswerText.shown(e.getMessage()), null)
                    : ReachFailure.passing(what, AnswerText.shown(e.getMessage()));
        }
    }

    private static String path(Target target) throws ReachFailure {
        String path = URLDecoder.decode(target.path().replace("+", "%2B"), StandardCharsets.UTF_8);
        if (path.length() < 2 || path.endsWith("/") && !"list".equals(target.option("op")))
            throw ReachFailure.lasting("the name of a file has to follow the host: sftp://HOST/DIRECTORY/FILE");
        if (path.matches("(?s).*(/\\.{1,2}(/.*)?$|\\p{Cc}|\\\\).*") || path.contains("/../") || path.contains("//"))
            throw ReachFailure.lasting("the name of a file has no .. and no control characters in it");
        return path;
    }

    /** A link could lead out of the folder that is allowed, so there must be none below it. */
    private static void refuseLinks(SftpClient files, List<String> folders, String path, boolean last)
            throws ReachFailure, IOException {
        if (folders.isEmpty()) return;
        String folder = folders.stream()
                .filter(each -> path.startsWith(each + "/"))
                .findFirst()
                .orElseThrow(() -> ReachFailure.lasting(path + " does not lie below " + folders));
        for (int end = path.indexOf('/', folder.length() + 1); ; end = path.indexOf('/', end + 1)) {
            if (end < 0 && !last) return;
            String part = end < 0 ? path : path.substring(0, end);
            try {
                if (files.lstat(part).isSymbolicLink())
                    throw ReachFailure.lasting(
                            part + " is a link, which may lead out of " + (folder.isEmpty() ? "/" : folder));
            } catch (SftpException e) {
                // What does not exist is no link; what comes next says so.
                if (e.getStatus() == SftpConstants.SSH_FX_NO_SUCH_FILE) return;
                throw e;
            }
            if (end < 0) return;
        }
    }

    private static String get(Target target, SftpClient files, String path) throws IOException, ReachFailure {
        byte[] bytes;
        try (InputStream from = files.read(path)) {
            bytes = from.readNBytes(LARGEST + 1);
        }
        if (bytes.length > LARGEST) throw ReachFailure.lasting(target + " has more than " + LARGEST / 1024 + " KiB");
        String text = AnswerText.strictly(bytes, StandardCharsets.UTF_8);
        if (text == null) throw ReachFailure.lasting(target + " has bytes that are no text");
        return text;
    }

    /** By way of a name that is the same in each run of the task: what a lost run has left is written over. */
    private static String put(Call call, SftpClient files, String path) throws IOException {
        int slash = path.lastIndexOf('/');
        String key = call.task().key();
        String temporary =
                path.substring(0, slash + 1) + "." + path.substring(slash + 1) + "." + key.substring(key.length() - 12);
        byte[] content = call.task().input().getBytes(StandardCharsets.UTF_8);
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
                throw ReachFailure.lasting(target + " has more than " + MOST_ENTRIES + " files");
            SftpClient.Attributes facts = each.getAttributes();
            lines.add(name.replaceAll("\\p{Cc}", "?") + "\t" + facts.getSize() + "\t"
                    + (facts.isDirectory() ? "directory" : "file"));
        }
        lines.sort(null);
        return String.join("\n", lines);
    }
}
