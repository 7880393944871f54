package dev.howdah.reach.internal.ssh;

import dev.howdah.internal.run.Threads;
import dev.howdah.reach.internal.call.Addresses;
import dev.howdah.reach.internal.call.AnswerText;
import dev.howdah.reach.internal.call.Call;
import dev.howdah.reach.internal.call.Credential;
import dev.howdah.reach.internal.call.ReachFailure;
import dev.howdah.reach.internal.call.ReachFailure.Code;
import dev.howdah.reach.internal.call.ReachPlaces;
import dev.howdah.reach.internal.call.Scheme;
import dev.howdah.reach.internal.call.Target;
import dev.howdah.reach.internal.child.CommandAnswer;
import dev.howdah.reach.internal.child.LastBytes;
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
import java.util.Locale;
import java.util.concurrent.TimeoutException;
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

    /** The command of a session, while it runs. */
    private static final AttributeRepository.AttributeKey<ChannelExec> RUNNING =
            new AttributeRepository.AttributeKey<>();

    /** So long a command has to end when it is asked to. */
    private static final Duration TERM = Duration.ofMillis(500);

    private static final Duration CHECK = Duration.ofSeconds(3);
    private static final int LARGEST_OUTPUT = 1 << 20;
    private static final int SHOWN_ERROR = 1_000;

    /** What the library says where both sides know no algorithm of a kind. */
    private static final String NO_COMMON_WAY = "Unable to negotiate";

    private static final int COLUMNS = 511;

    private final Addresses addresses;
    private final SshClient client;
    private final KnownHosts knownHosts;
    private final Supplier<ReachPlaces> places;
    private final Supplier<ReachPlaces> legacy;
    private final SftpWork sftp = new SftpWork();
    private final KeptConnections<ClientSession> kept =
            new KeptConnections<>("ssh", KEPT, MOST_KEPT, this::works, SshScheme::end);

    /**
     * @param knownHosts the file of them, now; null if there is none
     * @param places that are allowed, now
     * @param legacy those of hosts that may use what is weak today, now
     */
    public SshScheme(
            Addresses addresses,
            Supplier<@Nullable Path> knownHosts,
            Supplier<ReachPlaces> places,
            Supplier<ReachPlaces> legacy) {
        Ed25519Support.register();
        this.places = places;
        this.legacy = legacy;
        this.addresses = addresses;
        this.client = SshClient.setUpDefaultClient();
        this.knownHosts = new KnownHosts(knownHosts);
        client.setServerKeyVerifier(this.knownHosts);
        client.addSessionListener(new Algorithms(this.knownHosts));
        client.setHostConfigEntryResolver(HostConfigEntryResolver.EMPTY);
        client.setKeyIdentityProvider(KeyIdentityProvider.EMPTY_KEYS_PROVIDER);
        client.setAgentFactory(null);
        client.start();
    }

    @Override
    public @Nullable String run(Call call) throws ReachFailure, IOException, InterruptedException {
        Target target = call.target();
        boolean files = target.scheme().equals("sftp");
        if (files) target.onlyOptions("op", "body", "answer", "to");
        else target.onlyOptions("device", "answer");
        String device = target.option("device");
        if (!files && CommandAnswer.isJson(target) && device != null)
            throw ReachFailure.lasting(
                    Code.ADDRESS, "the option answer=json is for commands: a device has no standard error");
        Device spoken = device == null ? null : Device.of(device);
        Credential credential = credential(target, call.credential());
        InetSocketAddress address = addresses.pinned(call);
        try (KeptConnections<ClientSession>.Lease lease = kept.lease(
                ConnectionUse.of(call, address), call, onStop -> open(target, address, credential, onStop))) {
            ClientSession session = lease.connection();
            // A device ends the connection with its shell, or leaves it in a state that is not known.
            if (spoken != null) return shell(call, session, spoken);
            String output = files ? sftp.run(call, session, rules(call)) : command(call, lease, session);
            lease.keep();
            return output;
        }
    }

    private SftpWork.Rules rules(Call call) {
        String owner = call.task().owner();
        ReachPlaces allowed = places.get();
        List<ReachPlaces> all = call.credential() == null
                ? List.of(allowed)
                : List.of(allowed, call.credential().places());
        return new SftpWork.Rules() {
            @Override
            public List<List<String>> folders(Target target) {
                return all.stream().map(each -> each.folders(owner, target)).toList();
            }

            @Override
            public void check(Target target) throws ReachFailure {
                for (ReachPlaces each : all) each.check(owner, target);
            }
        };
    }

    private static Credential credential(Target target, @Nullable Credential credential) throws ReachFailure {
        if (credential == null)
            throw ReachFailure.lasting(
                    Code.CREDENTIAL,
                    target + " needs a credential",
                    null,
                    "Give it a name under \"credentials\" in the file of --reach, and write ?as=NAME in remote.");
        String user = target.user() == null ? credential.user() : target.user();
        if (user == null)
            throw ReachFailure.lasting(Code.ADDRESS, target + " needs a user, before the @ or of the credential");
        if (credential.user() != null && !credential.user().equals(user))
            throw ReachFailure.lasting(
                    Code.CREDENTIAL, "the credential \"" + credential.name() + "\" is for another user than " + user);
        return credential;
    }

    @Override
    public void probe(Call call, ProbeSteps steps) throws ReachFailure, IOException {
        Target target = call.target();
        Credential credential = credential(target, call.credential());
        InetSocketAddress address = Connecting.lookUp(addresses, call, steps);
        Connecting.connect(address, call, steps).close();
        steps.begin("host key");
        KnownHosts.Host host = host(target);
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

    private KnownHosts.Host host(Target target) {
        return new KnownHosts.Host(target.host(), target.port(), legacy.get().has("", target));
    }

    private static String user(Target target, Credential credential) {
        return String.valueOf(target.user() == null ? credential.user() : target.user());
    }

    private ClientSession open(
            Target target, InetSocketAddress address, Credential credential, Consumer<Runnable> onStop)
            throws ReachFailure, IOException {
        KnownHosts.Host host = host(target);
        ClientSession session = connect(
                target, address, user(target, credential), AttributeRepository.ofKeyValuePair(KnownHosts.HOST, host));
        onStop.accept(() -> end(session));
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
            throw ReachFailure.passing(
                            Code.NOT_CONNECTED,
                            target + " cannot be reached",
                            isLate(e)
                                    ? "it did not answer within " + CONNECT.toSeconds() + " s"
                                    : AnswerText.shown(e.getMessage()))
                    .unavailable("it cannot be reached");
        }
    }

    /** Closes it, after the command that runs there was asked to end: without that it would go on. */
    private static void end(ClientSession session) {
        ChannelExec running = session.getAttribute(RUNNING);
        if (running == null) session.close(true);
        else Threads.daemon("howdah-ssh-stop", () -> end(session, running)).start();
    }

    private static void end(ClientSession session, ChannelExec running) {
        try {
            Buffer signal = session.createBuffer(SshConstants.SSH_MSG_CHANNEL_REQUEST);
            signal.putUInt(running.getRecipient());
            signal.putString("signal");
            signal.putBoolean(false);
            signal.putString("TERM");
            running.writePacket(signal);
            running.waitFor(EnumSet.of(ClientChannelEvent.CLOSED), TERM);
        } catch (IOException | RuntimeException e) {
            // It is gone.
        } finally {
            session.close(true);
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
                    throw ReachFailure.lasting(
                            Code.CREDENTIAL,
                            "the credential \"" + credential.name()
                                    + "\" is none for hosts: its kind has to be key or login");
            }
            session.auth().verify(CONNECT);
        } catch (SshException e) {
            String refused = host.refused().get();
            if (refused != null)
                throw ReachFailure.lasting(
                        Code.HOST_KEY, "the host of " + target + " is not trusted", AnswerText.shown(refused), null);
            if (session.isOpen() && session.isAuthenticated()) throw e;
            throw notLoggedIn(target, session, e);
        }
    }

    private static ReachFailure notLoggedIn(Target target, ClientSession session, SshException e) {
        String said = AnswerText.shown(e.getMessage());
        String text = String.valueOf(said);
        if (text.contains(NO_COMMON_WAY))
            return ReachFailure.lasting(
                    Code.NOT_SECURE,
                    "no secure connection to " + target,
                    said,
                    "A host that is too old for what is safe today stands under \"legacy\" in the file of --reach.");
        boolean refused = e.getDisconnectCode() == SshConstants.SSH2_DISCONNECT_NO_MORE_AUTH_METHODS_AVAILABLE
                || text.toLowerCase(Locale.ROOT).contains("authentication");
        // Repeated log-ins lock accounts.
        if (refused) return ReachFailure.lasting(Code.LOGIN, target + " refused the login", said, null);
        if (isLate(e))
            return ReachFailure.passing(
                            Code.NOT_CONNECTED,
                            target + " cannot be reached",
                            "it did not answer within " + CONNECT.toSeconds() + " s")
                    .unavailable("it does not answer");
        return ReachFailure.passing(
                Code.NOT_CONNECTED,
                target + (session.getServerKey() == null ? " cannot be reached" : " ended the connection at the login"),
                said);
    }

    private static boolean isLate(Throwable e) {
        for (Throwable each = e; each != null; each = each.getCause())
            if (each instanceof TimeoutException
                    || String.valueOf(each.getMessage()).contains("specified timeout")) return true;
        return false;
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
        throw ReachFailure.lasting(
                Code.CREDENTIAL, "the key of the credential \"" + credential.name() + "\" cannot be read");
    }

    private static @Nullable String command(
            Call call, KeptConnections<ClientSession>.Lease lease, ClientSession session)
            throws ReachFailure, IOException, InterruptedException {
        String command = call.task().input();
        if (command.isBlank()) throw ReachFailure.lasting(Code.INPUT, "input has to be a command");
        Bounded output = new Bounded(session);
        LastBytes errors = new LastBytes();
        try (ChannelExec channel = session.createExecChannel(command, StandardCharsets.UTF_8, null, null)) {
            channel.setIn(new ByteArrayInputStream(new byte[0]));
            channel.setOut(output);
            channel.setErr(errors);
            channel.open().verify(CONNECT);
            session.setAttribute(RUNNING, channel);
            try {
                channel.waitFor(EnumSet.of(ClientChannelEvent.CLOSED), call.time());
            } finally {
                session.removeAttribute(RUNNING);
            }
            if (call.cancellation().isCancelled()) throw new InterruptedException();
            if (output.full)
                throw ReachFailure.lasting(
                        Code.ANSWER, call.target() + " answered more than " + LARGEST_OUTPUT / 1024 + " KiB");
            Integer exit = channel.getExitStatus();
            String signal = channel.getExitSignal();
            byte[] bytes = output.bytes();
            String text = AnswerText.strictly(bytes, StandardCharsets.UTF_8);
            if (exit == null && signal == null) throw new IOException("the command has not said how it ended");
            if (exit == null || exit != 0) {
                String said = errors.text();
                ReachFailure failure = ReachFailure.passing(
                        Code.EXIT,
                        exit == null ? "the command was ended by signal " + signal : "exit code " + exit,
                        AnswerText.shown(said.substring(Math.max(said.length() - SHOWN_ERROR, 0))));
                lease.keep();
                throw text == null || text.isEmpty() ? failure : failure.after(text);
            }
            return CommandAnswer.of(call.target(), call.target() + " answered with", bytes, errors.text());
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
            Thread reader = Threads.daemon("howdah-ssh-shell", () -> talk.read(channel.getInvertedOut()));
            reader.start();
            return talk.run();
        }
    }

    /** Keeps so much of what comes; what comes after that ends the session. */
    private static final class Bounded extends OutputStream {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private final ClientSession session;
        private volatile boolean full;

        Bounded(ClientSession session) {
            this.session = session;
        }

        @Override
        public void write(int one) {
            write(new byte[] {(byte) one}, 0, 1);
        }

        @Override
        public synchronized void write(byte[] some, int from, int count) {
            int room = LARGEST_OUTPUT - bytes.size();
            bytes.write(some, from, Math.min(count, room));
            if (count <= room) return;
            full = true;
            session.close(true);
        }

        synchronized byte[] bytes() {
            return bytes.toByteArray();
        }
    }

    @Override
    public void close() {
        kept.close();
        client.close(true);
    }
}
