package dev.howdah.examples.billing;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.sshd.common.config.keys.PublicKeyEntry;
import org.apache.sshd.common.io.IoSession;
import org.apache.sshd.common.session.Session;
import org.apache.sshd.server.SshServer;
import org.apache.sshd.server.command.AbstractCommandSupport;

/** Routers with ports that are switched by SSH: one in five is slow, and one does not answer to its first command at all. */
final class TestRouters implements AutoCloseable {
    private static final Duration SLOW = Duration.ofMillis(Integer.getInteger("slow", 500));
    private static final Pattern COMMAND = Pattern.compile("port '([^']+)' '(up|down)'");

    private final List<String> hosts;
    private final SshServer server = SshServer.setUpDefaultServer();
    private final KeyPair key = newKey();
    private final KeyPair otherKey = newKey();
    private final Set<String> changed = ConcurrentHashMap.newKeySet();
    private final Set<String> logins = ConcurrentHashMap.newKeySet();
    private final Map<String, String> states = new ConcurrentHashMap<>();
    private final Set<String> silent = ConcurrentHashMap.newKeySet();
    private final AtomicInteger commands = new AtomicInteger();
    private final CountDownLatch over = new CountDownLatch(1);

    /** @param count of routers, each with an address of its own, all with one key */
    TestRouters(int count) {
        hosts = IntStream.rangeClosed(1, count).mapToObj(i -> "127.0.1." + i).toList();
        silent.add(hosts.get(0));
    }

    private static KeyPair newKey() {
        try {
            KeyPairGenerator keys = KeyPairGenerator.getInstance("EC");
            keys.initialize(256);
            return keys.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    void start() throws IOException {
        server.setHost(String.join(",", hosts));
        server.setPort(0);
        server.setKeyPairProvider(session -> List.of(key(host(((Session) session).getIoSession()))));
        server.setPasswordAuthenticator((user, password, session) -> {
            logins.add(host(session.getIoSession()));
            return password.equals("s3cr3t-net");
        });
        server.setCommandFactory((channel, command) -> new AbstractCommandSupport(command, null) {
            @Override
            public void run() {
                try {
                    onExit(answer(host(getServerSession().getIoSession()), getCommand()));
                } catch (InterruptedException e) {
                    onExit(1);
                }
            }
        });
        server.start();
    }

    private static String host(IoSession session) {
        return ((InetSocketAddress) session.getLocalAddress()).getAddress().getHostAddress();
    }

    private KeyPair key(String host) {
        return changed.contains(host) ? otherKey : key;
    }

    /** The last router has another key from now on, as one that was replaced, or one that only answers at its address. */
    void changeKey() {
        String last = hosts.get(hosts.size() - 1);
        changed.add(last);
        server.getActiveSessions().stream()
                .filter(each -> host(each.getIoSession()).equals(last))
                .forEach(each -> each.close(true));
        logins.remove(last);
    }

    /** Whether a login was tried at the last router since its key has changed. */
    boolean hasLogin() {
        return logins.contains(hosts.get(hosts.size() - 1));
    }

    private int answer(String host, String command) throws InterruptedException {
        commands.incrementAndGet();
        Matcher read = COMMAND.matcher(command);
        if (!read.matches()) return 1;
        if (silent.remove(host)) over.await();
        // So long each command takes.
        if (hosts.indexOf(host) % 5 == 1) over.await(SLOW.toMillis(), TimeUnit.MILLISECONDS);
        states.put(host + " " + read.group(1), read.group(2));
        return 0;
    }

    /** As tasks name them. */
    List<String> addresses() {
        return hosts.stream()
                .map(host -> "ssh://" + host + ":" + server.getPort())
                .toList();
    }

    String knownHosts() {
        return hosts.stream()
                .map(host -> "[" + host + "]:" + server.getPort() + " "
                        + PublicKeyEntry.toString(key(host).getPublic()))
                .collect(Collectors.joining("\n"));
    }

    /** Of ports that were switched: {@code up} or {@code down}. */
    Map<String, String> states() {
        return states;
    }

    /** How many there were. */
    int commands() {
        return commands.get();
    }

    @Override
    public void close() throws IOException {
        over.countDown();
        server.stop(true);
    }
}
