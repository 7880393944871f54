package dev.howdah.internal.node;

import dev.howdah.internal.connection.DedicatedSession;
import dev.howdah.internal.sql.AdvisoryLock;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlErrors;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGNotification;

/**
 * The features of one node: those that stand in its row, and of these the members for which its session listens and looks. They
 * come and go in any thread; what takes the node's session is for the thread of the presence.
 */
final class NodeMembers {
    /** After this a look is taken again at what a dead node's last transactions have kept. */
    private static final int REST_MILLIS = 100;

    private static final long THOROUGH_NANOS = TimeUnit.SECONDS.toNanos(20);
    /** Of a node that has had nothing to do for as long as that. */
    private static final long IDLE_THOROUGH_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final int node;
    private final List<Member> members = new CopyOnWriteArrayList<>();
    private final Queue<Member> joining = new ConcurrentLinkedQueue<>();
    /** Of each part that has entered its feature. */
    private final Map<Object, String> places = new LinkedHashMap<>();

    private volatile String[] features;
    private Watch watch = new Watch(List.of());
    private int looks;
    private boolean isLost;
    private long busy = System.nanoTime();

    /** A node whose lock is free: how often it had come back, and its features. */
    record FreeNode(int returned, Set<String> features) {}

    /** The statement of a look: an idle node is to cost next to nothing, so all that is asked is one statement. */
    private record Watch(List<Member> members, Sql sql) {
        private static final String NODES = NodeSql.NODE.text("node_watch");

        Watch(List<Member> members) {
            this(members, Sql.of(text(members)));
        }

        private static String text(List<Member> members) {
            StringBuilder text =
                    new StringBuilder("SELECT * FROM (").append(NODES).append(") AS nodes");
            for (Member each : members) {
                String asked = each.part.watch();
                if (asked != null)
                    text.append(" CROSS JOIN (").append(asked).append(") AS ").append(each.part.feature());
            }
            return text.toString();
        }
    }

    private static final class Member {
        final NodeMember part;
        final NodeRescuer rescuer;
        final Runnable lost;
        final CompletableFuture<Void> joined = new CompletableFuture<>();
        /** When its last thorough look was, in nanoseconds; null: there was none. */
        @Nullable
        Long thorough;

        Member(NodeMember part, int node, Runnable lost) {
            this.part = part;
            this.rescuer = new NodeRescuer(node, part.feature(), part::recovery);
            this.lost = lost;
        }
    }

    /**
     * @param node its id
     * @param place of the first part
     * @param feature of that part
     */
    NodeMembers(int node, Object place, String feature) {
        this.node = node;
        this.places.put(place, feature);
        this.features = new String[] {feature};
    }

    /** The features that stand in the row of the node, for each part one: another array after each change. */
    String[] features() {
        return features;
    }

    /** A feature has been added to the row, for a part that has this place. Not while others are added or removed. */
    void expect(Object place, String feature) {
        places.put(place, feature);
        features = places.values().toArray(String[]::new);
    }

    /**
     * A part leaves its place, and its feature will be removed from the row with the last part of it. Once more this changes nothing. Not while
     * others are added or removed.
     *
     * @param part null: none was made
     */
    void remove(Object place, @Nullable NodeMember part) {
        members.removeIf(each -> each.part == part);
        if (places.remove(place) != null) features = places.values().toArray(String[]::new);
    }

    /**
     * A feature of the row waits for the session to listen for it.
     *
     * @param lost run if the node is lost after that
     * @return completed when the session listens
     */
    CompletableFuture<Void> join(NodeMember part, Runnable lost) {
        Member member = new Member(part, node, lost);
        joining.add(member);
        return member.joined;
    }

    /** Returns whether none has joined yet, or all have left. */
    boolean none() {
        return members.isEmpty();
    }

    /** Listens for the features that wait; returns whether there were any. */
    boolean admit(DedicatedSession open) throws SQLException {
        boolean admitted = false;
        for (Member each = joining.poll(); each != null; each = joining.poll()) {
            try {
                listen(open, each.part.channels());
                each.part.server().opened(open);
            } catch (SQLException | RuntimeException e) {
                each.joined.completeExceptionally(e);
                throw e;
            }
            if (add(each)) admitted = true;
        }
        return admitted;
    }

    private synchronized boolean add(Member member) {
        if (isLost) member.joined.completeExceptionally(NodePresence.takenForDead(node));
        // One that has waited for too long was cancelled.
        if (!member.joined.complete(null)) return false;
        members.add(member);
        return true;
    }

    /** The features that wait cannot join any more. */
    void refuse(SQLException why) {
        for (Member each = joining.poll(); each != null; each = joining.poll()) each.joined.completeExceptionally(why);
    }

    static void listen(DedicatedSession opened, Collection<String> channels) throws SQLException {
        if (channels.isEmpty()) return;
        try (Statement statement = opened.connection().createStatement()) {
            statement.execute(channels.stream().map(each -> "LISTEN " + each).collect(Collectors.joining("; ")));
        }
    }

    /** A new session listens for the members. */
    void listen(DedicatedSession opened) throws SQLException {
        for (Member each : members) listen(opened, each.part.channels());
    }

    /** The members learn which server that session leads to. */
    void opened(DedicatedSession open) throws SQLException {
        for (Member each : members) each.part.server().opened(open);
    }

    void answered() {
        for (Member each : members) each.part.server().answered();
    }

    void heard(DedicatedSession open, PGNotification[] notifications) throws SQLException {
        for (Member each : members) each.part.heard(open, notifications);
    }

    void back() {
        for (Member each : members) each.part.back();
    }

    /** Removes all members, and lets none join any more; returns what tells each that the node is lost. */
    synchronized List<Runnable> lost() {
        isLost = true;
        List<Runnable> told = new ArrayList<>();
        for (Member each : members) told.add(each.lost);
        members.clear();
        return told;
    }

    /** The advisory locks that only nodes with these features take, each with the table into which only they may insert. */
    Map<AdvisoryLock, String> locks() {
        Map<AdvisoryLock, String> locks = new HashMap<>();
        locks.put(AdvisoryLock.NODE, "howdah_internal.node");
        for (Member each : members) locks.putAll(each.part.locks());
        return locks;
    }

    /**
     * Looks for dead nodes, and asks what the members want to know. The caller closes the row, and gives it to {@link #watched} if the
     * node is there.
     */
    ResultSet watch(DedicatedSession open, NodeIdentity identity, String[] asked) throws SQLException {
        List<Member> now = List.copyOf(members);
        if (!now.equals(watch.members())) watch = new Watch(now);
        return open.query(watch.sql(), identity.id(), identity.incarnation(), asked);
    }

    void watched(ResultSet row) throws SQLException {
        for (Member each : watch.members()) each.part.watched(row);
    }

    /** Returns whether no member has had anything to do since this was last asked. */
    boolean areIdle() {
        boolean idle = true;
        for (Member each : members) idle &= each.part.isIdle();
        if (!idle) busy = System.nanoTime();
        return idle;
    }

    /**
     * Each member does what is to be done from time to time, and recovers the claims of dead nodes.
     *
     * @param began when the look began, in nanoseconds
     * @param free the nodes whose locks are free
     * @param dead those of them that are dead
     * @param foreign dead nodes whose locks are held by sessions that are no node's
     * @return after how many milliseconds to look again at the latest
     */
    int look(DedicatedSession open, long began, Map<Integer, FreeNode> free, Set<Integer> dead, Set<Integer> foreign)
            throws SQLException {
        if (!dead.isEmpty() || !foreign.isEmpty()) busy = System.nanoTime();
        List<Member> all = new ArrayList<>(members);
        // One that fails is not the first each time: the others do what they have to.
        Collections.rotate(all, looks++);
        int pause = Integer.MAX_VALUE;
        Set<String> rescuing = new HashSet<>();
        Exception failed = null;
        for (Member each : all) {
            try {
                boolean isFirst = rescuing.add(each.part.feature());
                look(each, open, free, isFirst ? dead : Set.of(), isFirst ? foreign : Set.of());
                each.part.looked(System.nanoTime() - began);
                if (!each.rescuer.unfinished().isEmpty()) pause = REST_MILLIS;
            } catch (SQLException | RuntimeException e) {
                if (failed == null) failed = e;
                else failed.addSuppressed(e);
                if (e instanceof SQLException ended && SqlErrors.isConnectionLost(ended)) break;
            }
        }
        if (failed instanceof SQLException ended) throw ended;
        if (failed instanceof RuntimeException wrong) throw wrong;
        return pause;
    }

    private boolean isThorough(Member member) {
        long now = System.nanoTime();
        long pause = now - busy < IDLE_THOROUGH_NANOS ? THOROUGH_NANOS : IDLE_THOROUGH_NANOS;
        if (member.thorough != null && now - member.thorough < pause) return false;
        member.thorough = now;
        return true;
    }

    private void look(
            Member member, DedicatedSession open, Map<Integer, FreeNode> free, Set<Integer> dead, Set<Integer> foreign)
            throws SQLException {
        NodeRescuer rescuer = member.rescuer;
        Map<Integer, Integer> gone = new LinkedHashMap<>();
        for (int each : rescuer.unfinished()) gone.put(each, 0);
        for (int each : member.part.look(open, isThorough(member))) gone.put(each, 0);
        for (int each : dead) {
            FreeNode node = free.get(each);
            if (node != null && node.features().contains(member.part.feature())) gone.put(each, node.returned());
        }
        for (Map.Entry<Integer, Integer> each : gone.entrySet())
            rescuer.rescue(open, each.getKey(), each.getValue(), false);
        for (int each : foreign) rescuer.rescue(open, each, 0, true);
    }
}
