package dev.howdah.reach.internal.ssh;

import dev.howdah.reach.internal.call.Addresses;
import dev.howdah.reach.internal.call.AnswerText;
import dev.howdah.reach.internal.call.Call;
import dev.howdah.reach.internal.call.Credential;
import dev.howdah.reach.internal.call.ReachFailure;
import dev.howdah.reach.internal.call.ReachPlaces;
import dev.howdah.reach.internal.call.Scheme;
import dev.howdah.reach.internal.call.Target;
import dev.howdah.reach.internal.keep.ConnectionUse;
import dev.howdah.reach.internal.keep.KeptConnections;
import dev.howdah.reach.internal.probe.Connecting;
import dev.howdah.reach.internal.probe.Probe;
import dev.howdah.reach.internal.probe.ProbeSteps;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.sshd.client.SshClient;
import org.apache.sshd.client.channel.ChannelExec;
import org.apache.sshd.client.channel.ChannelShell;
import org.apache.sshd.client.channel.ClientChannelEvent;
import org.apache.sshd.client.config.hosts.HostConfigEntryResolver;
import org.apache.sshd.client.session.ClientSession;
import org.apache.sshd.common.AttributeRepository;
import org.apache.sshd.common.SshConstants;
import org.apache.sshd.common.SshException;
import org.apache.sshd.common.config.keys.FilePasswordProvider;
import org.apache.sshd.common.config.keys.KeyUtils;
import org.apache.sshd.common.keyprovider.KeyIdentityProvider;
import org.apache.sshd.common.util.buffer.Buffer;
import org.apache.sshd.common.util.security.SecurityUtils;
import org.jspecify.annotations.Nullable;

/**
 * Commands and shells of other hosts: ssh, and files: sftp. Hosts are known by a file, and the daemon's own keys and configuration are not
 * looked at. Safe for use by many threads.
 */
public final class SshScheme implements Scheme, Probe {
    private static final Duration CONNECT = Duration.ofSeconds(10);
    private static final int MOST_KEPT = 100;
    private static final Duration KEPT = Duration.ofSeconds(60);
    private static final String QUESTION = "keepalive@openssh.com";
    private static final Duration CHECK = Duration.ofSeconds(3);
    private static final int LARGEST_OUTPUT = 1 << 20;
    private static final int KEPT_ERROR = 65_536;
    private static final int SHOWN_ERROR = 1_000;
    private static final int COLUMNS = 511;

    private final Addresses addresses;
    private final SshClient client;
    private final KnownHosts knownHosts;
    private final Supplier<ReachPlaces> places;
    private final KeptConnections<ClientSession> kept =
            new KeptConnections<>("ssh", KEPT, MOST_KEPT, this::works, session -> session.close(true));

    /**
     * @param knownHosts the file of them, now; null if there is none
     * @param places that are allowed, now
     */
    public SshScheme(Addresses addresses, Supplier<@Nullable Path> knownHosts, Supplier<ReachPlaces> places) {
        this.places = places;
        this.addresses = addresses;
        this.client = SshClient.setUpDefaultClient();
        this.knownHosts = new KnownHosts(knownHosts);
        client.setServerKeyVerifier(this.knownHosts);
        client.setHostConfigEntryResolver(HostConfigEntryResolver.EMPTY);
        client.setKeyIdentityProvider(KeyIdentityProvider.EMPTY_KEYS_PROVIDER);
        client.setAgentFactory(null);
        client.start();
    }

    @Override
    public @Nullable String run(Call call) throws ReachFailure, IOException, InterruptedException {
        Target target = call.target();
        boolean files = target.scheme().equals("sftp");
        if (files) target.onlyOptions("op");
        else target.onlyOptions("device");
        String device = target.option("device");
        Device spoken = device == null ? null : Device.of(device);
        Credential credential = credential(target, call.credential());
        InetSocketAddress address = addresses.pinned(call);
        try (KeptConnections<ClientSession>.Lease lease = kept.lease(
                ConnectionUse.of(call, address), call, onStop -> open(target, address, credential, onStop))) {
            ClientSession session = lease.connection();
            // A device ends the connection with its shell, or leaves it in a state that is not known.
            if (spoken != null) return shell(call, session, spoken);
            String output = files ? SftpWork.run(call, session, folders(call)) : command(call, lease, session);
            lease.keep();
            return output;
        }
    }

    private List<List<String>> folders(Call call) {
        String owner = call.task().owner();
        List<String> own = call.credential() == null
                ? List.of()
                : call.credential().places().folders(owner, call.target());
        return List.of(places.get().folders(owner, call.target()), own);
    }

    private static Credential credential(Target target, @Nullable Credential credential) throws ReachFailure {
        if (credential == null)
            throw ReachFailure.lasting(
                    target + " needs a credential",
                    null,
                    "Give it a name under \"credentials\" in the file of --reach, and write ?as=NAME in remote.");
        String user = target.user() == null ? credential.user() : target.user();
        if (user == null) throw ReachFailure.lasting(target + " needs a user, before the @ or of the credential");
        if (credential.user() != null && !credential.user().equals(user))
            throw ReachFailure.lasting("the credential \"" + credential.name() + "\" is for another user than " + user);
        return credential;
    }

    @Override
    public void probe(Call call, ProbeSteps steps) throws ReachFailure, IOException {
        Target target = call.target();
        Credential credential = credential(target, call.credential());
        InetSocketAddress address = Connecting.lookUp(addresses, call, steps);
        Connecting.connect(address, call, steps).close();
        steps.begin("host key");
        KnownHosts.Host host = new KnownHosts.Host(target.host(), target.port());
        String user = user(target, credential);
        ClientSession session =
                connect(target, address, user, AttributeRepository.ofKeyValuePair(KnownHosts.HOST, host));
        call.cancellation().onCancel(() -> session.close(true));
        try {
            authenticate(target, session, credential, host);
            steps.done(KeyUtils.getFingerPrint(session.getServerKey()) + " is known");
            steps.begin("login");
            steps.done("as " + user);
        } catch (ReachFailure e) {
            if (session.getServerKey() != null && host.refused().get() == null) {
                steps.done(KeyUtils.getFingerPrint(session.getServerKey()) + " is known");
                steps.begin("login");
            }
            throw e;
        } finally {
            session.close(true);
        }
    }

    private static String user(Target target, Credential credential) {
        return String.valueOf(target.user() == null ? credential.user() : target.user());
    }

    private ClientSession open(
            Target target, InetSocketAddress address, Credential credential, Consumer<Runnable> onStop)
            throws ReachFailure, IOException {
        KnownHosts.Host host = new KnownHosts.Host(target.host(), target.port());
        ClientSession session = connect(
                target, address, user(target, credential), AttributeRepository.ofKeyValuePair(KnownHosts.HOST, host));
        onStop.accept(() -> session.close(true));
        try {
            authenticate(target, session, credential, host);
            return session;
        } catch (ReachFailure | IOException | RuntimeException e) {
            session.close(true);
            throw e;
        }
    }

    private ClientSession connect(Target target, InetSocketAddress address, String user, AttributeRepository host)
            throws ReachFailure, IOException {
        try {
            return client.connect(user, address, host).verify(CONNECT).getSession();
        } catch (ConnectException | SshException e) {
            throw ReachFailure.passing(target + " cannot be reached", AnswerText.shown(e.getMessage()));
        }
    }

    /** Asks the other side, whatever it answers; also whether its key is still a known one. */
    private boolean works(ClientSession session) {
        if (!session.isOpen() || !session.isAuthenticated()) return false;
        if (!knownHosts.verifyServerKey(session, session.getConnectAddress(), session.getServerKey())) return false;
        try {
            Buffer question = session.createBuffer(SshConstants.SSH_MSG_GLOBAL_REQUEST);
            question.putString(QUESTION);
            question.putBoolean(true);
            session.request(QUESTION, question, CHECK);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static void authenticate(Target target, ClientSession session, Credential credential, KnownHosts.Host host)
            throws ReachFailure, IOException {
        try {
            switch (credential.kind()) {
                case LOGIN -> session.addPasswordIdentity(credential.secret());
                case KEY -> session.addPublicKeyIdentity(key(session, credential));
                default ->
                    throw ReachFailure.lasting("the credential \"" + credential.name()
                            + "\" is none for hosts: its kind has to be key or login");
            }
            session.auth().verify(CONNECT);
        } catch (SshException e) {
            String refused = host.refused().get();
            if (refused != null)
                throw ReachFailure.lasting(
                        "the host of " + target + " is not trusted", AnswerText.shown(refused), null);
            if (session.isOpen() && session.isAuthenticated()) throw e;
            // Repeated log-ins lock accounts.
            throw ReachFailure.lasting(target + " refused the login", AnswerText.shown(e.getMessage()), null);
        }
    }

    private static KeyPair key(ClientSession session, Credential credential) throws ReachFailure {
        try {
            for (KeyPair each : SecurityUtils.loadKeyPairIdentities(
                    session,
                    credential::name,
                    new ByteArrayInputStream(credential.secret().getBytes(StandardCharsets.UTF_8)),
                    FilePasswordProvider.of(credential.secrets().get("passphrase")))) return each;
        } catch (IOException | GeneralSecurityException e) {
            // Without its message, which may show the text of the key.
        }
        throw ReachFailure.lasting("the key of the credential \"" + credential.name() + "\" cannot be read");
    }

    private static @Nullable String command(
            Call call, KeptConnections<ClientSession>.Lease lease, ClientSession session)
            throws ReachFailure, IOException, InterruptedException {
        String command = call.task().input();
        if (command.isBlank()) throw ReachFailure.lasting("input has to be a command");
        Bounded output = new Bounded(LARGEST_OUTPUT, session);
        Bounded errors = new Bounded(KEPT_ERROR, null);
        try (ChannelExec channel = session.createExecChannel(command, StandardCharsets.UTF_8, null, null)) {
            channel.setIn(new ByteArrayInputStream(new byte[0]));
            channel.setOut(output);
            channel.setErr(errors);
            channel.open().verify(CONNECT);
            channel.waitFor(EnumSet.of(ClientChannelEvent.CLOSED), call.time());
            if (call.cancellation().isCancelled()) throw new InterruptedException();
            if (output.full)
                throw ReachFailure.lasting(call.target() + " answered more than " + LARGEST_OUTPUT / 1024 + " KiB");
            Integer exit = channel.getExitStatus();
            String signal = channel.getExitSignal();
            String text = output.text();
            if (exit == null && signal == null) throw new IOException("the command has not said how it ended");
            if (text == null) throw ReachFailure.lasting(call.target() + " answered with bytes that are no text");
            if (exit == null || exit != 0) {
                String said = String.valueOf(errors.text());
                ReachFailure failure = ReachFailure.passing(
                        exit == null ? "the command was ended by signal " + signal : "exit code " + exit,
                        AnswerText.shown(said.substring(Math.max(said.length() - SHOWN_ERROR, 0))));
                lease.keep();
                throw text.isEmpty() ? failure : failure.after(text);
            }
            return text.isEmpty() ? null : text;
        }
    }

    private static String shell(Call call, ClientSession session, Device device)
            throws ReachFailure, IOException, InterruptedException {
        try (ChannelShell channel = session.createShellChannel()) {
            channel.setPtyType("vt100");
            channel.setPtyColumns(COLUMNS);
            channel.setRedirectErrorStream(true);
            channel.open().verify(CONNECT);
            ShellTalk talk = new ShellTalk(call, device, channel.getInvertedIn());
            Thread reader = dev.howdah.internal.run.Threads.daemon(
                    "howdah-ssh-shell", () -> talk.read(channel.getInvertedOut()));
            reader.start();
            return talk.run();
        }
    }

    /** Keeps so much of what comes; what comes after that ends the session, if there is one. */
    private static final class Bounded extends OutputStream {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private final int most;
        private final @Nullable ClientSession session;
        private volatile boolean full;

        Bounded(int most, @Nullable ClientSession session) {
            this.most = most;
            this.session = session;
        }

        @Override
        public void write(int one) {
            write(new byte[] {(byte) one}, 0, 1);
        }

        @Override
        public synchronized void write(byte[] some, int from, int count) {
            int room = most - bytes.size();
            bytes.write(some, from, Math.min(count, room));
            if (count <= room || session == null) return;
            full = true;
            session.close(true);
        }

        synchronized @Nullable String text() {
            return AnswerText.strictly(bytes.toByteArray(), StandardCharsets.UTF_8);
        }
    }

    @Override
    public void close() {
        kept.close();
        client.close(true);
    }
}
