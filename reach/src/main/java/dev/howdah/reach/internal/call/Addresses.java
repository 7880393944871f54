package dev.howdah.reach.internal.call;

import dev.howdah.internal.run.Threads;
import dev.howdah.reach.internal.call.ReachFailure.Code;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;

/**
 * Looks up names of hosts. A name is resolved once for a connection, which goes to an address that was checked: a second answer of
 * the DNS has no effect. Safe for use by many threads.
 */
public final class Addresses {
    /** How names are resolved; another one in tests. */
    public interface Resolver {
        InetAddress[] resolve(String host) throws UnknownHostException;
    }

    /** A name has an address that tasks may not reach. */
    public static final class PrivateAddressException extends UnknownHostException {
        private static final long serialVersionUID = 1;

        PrivateAddressException(String message) {
            super(message);
        }
    }

    /** The resolver of the system waits for a server that says nothing far longer than most tasks may take. */
    private static final Duration LONGEST = Duration.ofSeconds(5);

    private final Resolver resolver;
    private final Duration longest;
    private final Predicate<InetAddress> interfaces;
    private final ExecutorService threads = Executors.newCachedThreadPool(Threads.platform("howdah-dns"));

    public Addresses(Resolver resolver) {
        this(resolver, LONGEST, Addresses::isOfThisMachine);
    }

    /**
     * @param longest how long to wait for an answer
     * @param interfaces whether an address is one of this machine
     */
    Addresses(Resolver resolver, Duration longest, Predicate<InetAddress> interfaces) {
        this.resolver = resolver;
        this.longest = longest;
        this.interfaces = interfaces;
    }

    /**
     * The addresses of a host, each of which may be connected to.
     *
     * @param privately whether they may be private
     * @throws PrivateAddressException if one of them may not be reached
     */
    public InetAddress[] of(String host, boolean privately) throws UnknownHostException {
        InetAddress[] all = resolve(host);
        if (all.length == 0) throw new UnknownHostException(host);
        for (InetAddress each : all)
            if (isMetadata(each) || !privately && (isPrivate(each) || isOwn(each)))
                // Without the address: who may not go there is not told what there is.
                throw new PrivateAddressException("the address of " + host + " is a private one");
        return all;
    }

    private InetAddress[] resolve(String host) throws UnknownHostException {
        // No server is asked for an address.
        if (host.indexOf(':') >= 0 || host.matches("[0-9.]+")) return resolver.resolve(host);
        Future<InetAddress[]> answer = threads.submit(() -> resolver.resolve(host));
        try {
            return answer.get(longest.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            answer.cancel(true);
            throw new UnknownHostException("no answer about " + host + " within " + longest.toSeconds() + " s");
        } catch (ExecutionException e) {
            if (e.getCause() instanceof UnknownHostException unknown) throw unknown;
            throw new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UnknownHostException("interrupted while " + host + " was looked up");
        }
    }

    /**
     * The address to connect to for a call.
     *
     * @throws ReachFailure if there is none, or it may not be reached
     */
    public InetSocketAddress pinned(Call call) throws ReachFailure {
        Target target = call.target();
        try {
            return new InetSocketAddress(of(target.host(), call.privately())[0], target.port());
        } catch (PrivateAddressException e) {
            throw privateAddress(target, e);
        } catch (UnknownHostException e) {
            throw unknown(target);
        }
    }

    /** The failure of a task whose target has an address that it may not reach. */
    public static ReachFailure privateAddress(Target target, PrivateAddressException e) {
        return ReachFailure.lasting(
                Code.PRIVATE_ADDRESS,
                target + " may not be reached: " + e.getMessage(),
                null,
                "Where this is meant, name it under \"private\" in the file of --reach.");
    }

    /** The failure of a task whose target has no address. */
    public static ReachFailure unknown(Target target) {
        return ReachFailure.passing(Code.UNKNOWN_HOST, "the host " + target.host() + " is not known", null)
                .unavailable("its name is not known");
    }

    /** Where clouds tell their machines secrets: most of them, ECS, Azure, Alibaba, Oracle; AWS, Google and Scaleway by IPv6. */
    private static final int[][] METADATA = {
        {169, 254, 169, 254}, {169, 254, 170, 2}, {168, 63, 129, 16}, {100, 100, 100, 200}, {192, 0, 0, 192}
    };

    private static final List<String> METADATA_6 =
            List.of("fd00:ec2:0:0:0:0:0:254", "fd20:ce:0:0:0:0:0:254", "fd00:42:0:0:0:0:0:42");

    private static boolean isMetadata(InetAddress address) {
        byte[] bytes = address.getAddress();
        int four = fourIn(bytes);
        return METADATA_6.contains(address.getHostAddress()) || four >= 0 && isMetadata(bytes, four);
    }

    private static boolean isMetadata(byte[] bytes, int from) {
        for (int[] each : METADATA) if (is(bytes, from, each)) return true;
        return false;
    }

    /** Returns whether it is one of this machine: what listens at a public one is reached from it past the firewall. */
    private boolean isOwn(InetAddress address) throws UnknownHostException {
        byte[] bytes = address.getAddress();
        int four = fourIn(bytes);
        return interfaces.test(address)
                || four >= 0 && interfaces.test(InetAddress.getByAddress(Arrays.copyOfRange(bytes, four, four + 4)));
    }

    static boolean isOfThisMachine(InetAddress address) {
        try {
            return NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException e) {
            return false;
        }
    }

    /** Where the IPv4 address stands that is reached by the bytes of an address; negative: there is none. */
    private static int fourIn(byte[] bytes) {
        if (bytes.length == 4) return 0;
        if (isMapped(bytes) || isTranslated(bytes)) return 12;
        return isSixToFour(bytes) ? 2 : -1;
    }

    private static boolean is(byte[] bytes, int from, int... values) {
        for (int i = 0; i < values.length; i++) if ((bytes[from + i] & 0xff) != values[i]) return false;
        return true;
    }

    private static boolean isMapped(byte[] bytes) {
        return is(bytes, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) && (is(bytes, 10, 0xff, 0xff) || is(bytes, 10, 0, 0));
    }

    /** Returns whether a gateway makes of it the IPv4 address of its last four bytes. */
    private static boolean isTranslated(byte[] bytes) {
        return is(bytes, 0, 0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0)
                || is(bytes, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0);
    }

    private static boolean isSixToFour(byte[] bytes) {
        return is(bytes, 0, 0x20, 0x02);
    }

    /** Returns whether an address is of this machine, of a network of one's own, or none of a host at all. */
    static boolean isPrivate(InetAddress address) {
        if (address.isAnyLocalAddress()
                || address.isLoopbackAddress()
                || address.isLinkLocalAddress()
                || address.isSiteLocalAddress()
                || address.isMulticastAddress()) return true;
        byte[] bytes = address.getAddress();
        int four = fourIn(bytes);
        if (four >= 0) return isPrivate(bytes, four);
        boolean unique = (bytes[0] & 0xfe) == 0xfc;
        boolean teredo = is(bytes, 0, 0x20, 0x01, 0, 0);
        // A gateway of one's own, which has any IPv4 address behind it.
        boolean ownTranslation = is(bytes, 0, 0, 0x64, 0xff, 0x9b, 0, 1);
        return unique || teredo || ownTranslation;
    }

    private static boolean isPrivate(byte[] b, int at) {
        int first = b[at] & 0xff;
        int second = b[at + 1] & 0xff;
        int third = b[at + 2] & 0xff;
        return first == 0
                || first == 10
                || first == 127
                || first >= 224
                || first == 100 && second >= 64 && second < 128
                || first == 169 && second == 254
                || first == 172 && second >= 16 && second < 32
                || first == 192 && second == 168
                || first == 192 && second == 0 && third == 0
                || first == 198 && (second == 18 || second == 19);
    }
}
