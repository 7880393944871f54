package dev.howdah.reach.internal.child;

import com.fasterxml.jackson.databind.JsonNode;
import dev.howdah.reach.internal.secret.JsonKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The user of the system whose rights a child process has.
 *
 * @param user {@code same} for that of this program
 * @param group of the system, by its name or number
 */
public record SystemUser(String user, String group) {
    private static final String SAME = "same";
    private static final Pattern NAME = Pattern.compile("[a-z_][a-z0-9_-]{0,31}");

    /**
     * Reads the keys {@code user} and {@code group}, which is that of the user in the system where it is not there.
     *
     * @param needed whether {@code user} has to be there though this program does not run as root
     */
    public static SystemUser of(JsonNode node, boolean needed) {
        String user = JsonKeys.text(node, "user");
        String group = JsonKeys.text(node, "group");
        boolean root = "root".equals(System.getProperty("user.name"));
        if (user == null && !root && !needed) user = SAME;
        if (user == null || !NAME.matcher(user).matches())
            throw new IllegalArgumentException(
                    "\"user\" has to be a user of the system, or \"same\" for the one of this program");
        if (user.equals(SAME) == root)
            throw new IllegalArgumentException(
                    root
                            ? "\"user\" has to be a user of the system: this program runs as root"
                            : "\"user\" has to be \"same\": only root can run a program as another user");
        if (group != null && !NAME.matcher(group).matches())
            throw new IllegalArgumentException("\"group\" has to be a group of the system");
        if (user.equals(SAME)) return new SystemUser(SAME, SAME);
        SystemTools.needed("setpriv", "another user");
        String primary = SystemTools.answer(SystemTools.needed("id", "another user"), "-g", user);
        if (!primary.matches("\\d+"))
            throw new IllegalArgumentException("\"user\" has to be a user of the system, and there is no " + user);
        if (group == null) return new SystemUser(user, primary);
        String getent = SystemTools.find("getent");
        if (getent != null && SystemTools.answer(getent, "group", group).isEmpty())
            throw new IllegalArgumentException("\"group\" has to be a group of the system, and there is no " + group);
        return new SystemUser(user, group);
    }

    /** Returns whether it is the user of this program. */
    public boolean isSame() {
        return user.equals(SAME);
    }

    /** What stands before a command, so that it has these rights. */
    public List<String> prefix() {
        return prefix(List.of());
    }

    /** The same of a program that is killed with the thread that has started it, where the system can do that. */
    public List<String> boundPrefix() {
        return prefix(SystemTools.deathSignal());
    }

    private List<String> prefix(List<String> more) {
        if (isSame() && more.isEmpty()) return List.of();
        List<String> prefix = new ArrayList<>(List.of(SystemTools.needed("setpriv", "another user")));
        if (!isSame())
            prefix.addAll(List.of("--reuid=" + user, "--regid=" + group, "--clear-groups", "--no-new-privs"));
        prefix.addAll(more);
        prefix.add("--");
        return prefix;
    }
}
