package dev.howdah.process.internal.step;

import dev.howdah.process.Namespace;
import dev.howdah.process.Payload;
import dev.howdah.spi.PayloadCodec;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;

/** A namespace that is worked here, and how many more of its processes may be. Safe for use by many threads. */
public final class NamespaceSlots {
    /** After so many steps in a row a process makes room for others that wait. */
    private static final int LONGEST_CHAIN = 64;

    private final int id;
    private final Namespace namespace;
    private final NamespaceMetrics meter;
    private final AtomicInteger free;
    private volatile boolean crowded;

    private final PayloadCodec codec;

    public NamespaceSlots(int id, Namespace namespace, PayloadCodec codec, NamespaceMetrics meter) {
        this.id = id;
        this.meter = meter;
        this.codec = codec;
        this.namespace = namespace;
        this.free = new AtomicInteger(namespace.concurrency());
    }

    /** The same with all of its places, for another node. */
    public NamespaceSlots fresh() {
        return new NamespaceSlots(id, namespace, codec, meter);
    }

    public int id() {
        return id;
    }

    public NamespaceMetrics meter() {
        return meter;
    }

    public PayloadCodec codec() {
        return codec;
    }

    /** JSON that the database has, or takes. */
    Payload text(String json) {
        return Payload.of(json.getBytes(StandardCharsets.UTF_8), codec);
    }

    public Namespace namespace() {
        return namespace;
    }

    /** How many more may be worked now. */
    public int free() {
        return free.get();
    }

    /** Takes up to so many places; says how many. */
    public int reserve(int most) {
        int had = free.getAndUpdate(left -> left - Math.min(Math.max(left, 0), most));
        return Math.min(Math.max(had, 0), most);
    }

    public void release(int places) {
        free.addAndGet(places);
    }

    /** Whether more processes wait than there are places. */
    public void crowded(boolean yes) {
        crowded = yes;
    }

    /** Returns whether a process goes on here with its next step, after so many in a row. */
    boolean mayStay(int chain) {
        return !crowded || chain < LONGEST_CHAIN;
    }
}
