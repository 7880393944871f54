package dev.howdah.internal.wire;

import com.ongres.scram.client.ScramClient;
import com.ongres.scram.common.ScramMechanism;
import com.ongres.scram.common.StringPreparation;
import com.ongres.scram.common.exception.ScramException;
import com.ongres.scram.common.util.TlsServerEndpoint;
import dev.howdah.Database;
import dev.howdah.internal.wire.transport.Endpoint;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/** Authenticates the client to the server: without a password, with a password, MD5 or SCRAM. For one log-in. */
final class StartupAuthentication {
    private static final int OK = 0;
    private static final int CLEARTEXT = 3;
    private static final int MD5 = 5;
    private static final int SASL = 10;
    private static final int SASL_CONTINUE = 11;
    private static final int SASL_FINAL = 12;
    private static final Map<Integer, String> OTHERS =
            Map.of(2, "Kerberos V5", 6, "SCM", 7, "GSSAPI", 8, "GSSAPI", 9, "SSPI");

    /** As pgjdbc accepts at most unless told otherwise. */
    private static final int MOST_ITERATIONS = 100_000;

    private final Database database;
    private final Endpoint endpoint;
    private final @Nullable SSLSocket tls;
    private final MessageWriter writer;
    private final String channelBinding;
    private @Nullable ScramClient scram;
    /** SCRAM shows that the server knows the password too; a server that skips the proof is not to be trusted. */
    private boolean serverProved;

    private boolean passwordAsked;

    StartupAuthentication(Database database, Endpoint endpoint, @Nullable SSLSocket tls, MessageWriter writer) {
        this.database = database;
        this.endpoint = endpoint;
        this.tls = tls;
        this.writer = writer;
        this.channelBinding = Objects.requireNonNullElse(database.parameter("channel_binding"), "prefer");
    }

    /**
     * Answers one message of authentication.
     *
     * @return whether the server is content
     */
    boolean answer(MessageReader message) throws IOException {
        int method = message.int32();
        switch (method) {
            case OK -> {
                if (scram != null && !serverProved)
                    throw refused("the server has not proved that it knows the password");
                requireBinding(scram != null && scram.getScramMechanism().isPlus());
                return true;
            }
            case CLEARTEXT -> {
                requireBinding(false);
                send(password().getBytes(StandardCharsets.UTF_8));
            }
            case MD5 -> {
                requireBinding(false);
                send(md5(message.bytes(4)).getBytes(StandardCharsets.US_ASCII));
            }
            case SASL -> startScram(message);
            case SASL_CONTINUE, SASL_FINAL ->
                goOn(method, new String(message.bytes(message.remaining()), StandardCharsets.UTF_8));
            default ->
                throw refused("the server asks for authentication by " + OTHERS.getOrDefault(method, "method " + method)
                        + ", which is not supported (trust, password, md5 and scram-sha-256 are)");
        }
        return false;
    }

    /** Returns whether the server has asked for a password. */
    boolean passwordAsked() {
        return passwordAsked;
    }

    private void requireBinding(boolean bound) throws WireException {
        if (channelBinding.equals("require") && !bound)
            throw refused("channel_binding=require, but the server authenticated the client without channel binding");
    }

    private void send(byte[] password) throws IOException {
        writer.begin('p').string(password).end().flush();
        writer.clear();
    }

    private String md5(byte[] salt) throws WireException {
        byte[] inner = md5Hex((password() + database.user()).getBytes(StandardCharsets.UTF_8))
                .getBytes(StandardCharsets.US_ASCII);
        byte[] salted = new byte[inner.length + salt.length];
        System.arraycopy(inner, 0, salted, 0, inner.length);
        System.arraycopy(salt, 0, salted, inner.length, salt.length);
        return "md5" + md5Hex(salted);
    }

    private static String md5Hex(byte[] data) throws WireException {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("MD5").digest(data));
        } catch (NoSuchAlgorithmException e) {
            throw new WireException("the server asks for MD5, which this Java does not have", "28000", null, e);
        }
    }

    private void startScram(MessageReader message) throws IOException {
        List<String> mechanisms = new ArrayList<>();
        for (String name = message.string(StandardCharsets.UTF_8);
                !name.isEmpty();
                name = message.string(StandardCharsets.UTF_8)) mechanisms.add(name);
        byte[] binding = bindingData();
        boolean known = mechanisms.contains(ScramMechanism.SCRAM_SHA_256.getName())
                || (binding.length > 0 && mechanisms.contains(ScramMechanism.SCRAM_SHA_256_PLUS.getName()));
        if (!known)
            throw refused("the server asks for authentication by " + String.join(", ", mechanisms)
                    + ", which is not supported (trust, password, md5 and scram-sha-256 are)");
        // The user's name went with the start-up packet; PostgreSQL takes no notice of the one in SCRAM.
        var builder = ScramClient.builder()
                .advertisedMechanisms(mechanisms)
                .username("*")
                .password(password().toCharArray())
                .stringPreparation(StringPreparation.POSTGRESQL_PREPARATION);
        if (binding.length > 0) builder.channelBinding(TlsServerEndpoint.TLS_SERVER_END_POINT, binding);
        ScramClient client = builder.build();
        scram = client;
        requireBinding(client.getScramMechanism().isPlus());
        byte[] first = client.clientFirstMessage().toString().getBytes(StandardCharsets.UTF_8);
        writer.begin('p')
                .string(client.getScramMechanism().getName(), StandardCharsets.UTF_8)
                .int32(first.length)
                .bytes(first)
                .end()
                .flush();
    }

    private void goOn(int step, String text) throws IOException {
        ScramClient client = scram;
        if (client == null) throw refused("the server goes on with SCRAM without having begun");
        try {
            if (step == SASL_FINAL) {
                client.serverFinalMessage(text);
                serverProved = true;
            } else {
                checkIterations(text);
                client.serverFirstMessage(text);
                byte[] last = client.clientFinalMessage().toString().getBytes(StandardCharsets.UTF_8);
                writer.begin('p').bytes(last).end().flush();
            }
        } catch (ScramException | RuntimeException e) {
            throw new WireException(text(endpoint, "SCRAM failed: " + e.getMessage()), "28000", null, e);
        }
    }

    /**
     * The server says how often the password is to be hashed, before it has shown anything: without a bound it would keep
     * this thread busy for as long as it likes, which no deadline ends.
     */
    private void checkIterations(String serverFirst) throws WireException {
        for (String part : serverFirst.split(",", -1)) {
            if (!part.startsWith("i=")) continue;
            String number = part.substring(2);
            boolean bounded = number.matches("[0-9]{1,9}") && Integer.parseInt(number) <= MOST_ITERATIONS;
            if (!bounded)
                throw refused("the server asks for " + (number.length() > 20 ? number.substring(0, 20) + "..." : number)
                        + " iterations of SCRAM (its setting scram_iterations); at most " + MOST_ITERATIONS
                        + " are accepted");
        }
    }

    /** What ties the proof to this TLS session, or nothing where there is none or its certificate has no fitting hash. */
    private byte[] bindingData() throws IOException {
        if (tls == null || channelBinding.equals("disable")) return new byte[0];
        try {
            return tls.getSession().getPeerCertificates()[0] instanceof X509Certificate certificate
                    ? TlsServerEndpoint.getChannelBindingData(certificate)
                    : new byte[0];
        } catch (CertificateException e) {
            throw new IOException("cannot read the server's certificate", e);
        }
    }

    private String password() throws WireException {
        passwordAsked = true;
        String password = database.password(endpoint.server());
        if (password != null) return password;
        throw new WireException(
                "no password for user \"" + database.user()
                        + "\" (set PGPASSWORD, a password file, or password in the connection string)",
                "28P01",
                null,
                null);
    }

    private WireException refused(String why) {
        return new WireException(text(endpoint, why), "28000", null, null);
    }

    private static String text(Endpoint endpoint, String why) {
        return "cannot log in at " + endpoint.server() + ": " + why;
    }
}
