package dev.howdah.reach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsExchange;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Requests by TLS, to a server that asks for a certificate of its client. */
@PostgresTest
@Tag("long")
class HttpsTaskTest {
    private static final char[] PASSWORD = "changeit".toCharArray();

    /** The tests run at the same time. */
    private static final AtomicInteger FILES = new AtomicInteger();

    @TempDir
    static Path directory;

    private static HttpsServer server;
    private static HttpsServer expired;
    private static HttpsServer future;
    private static HttpsServer stranger;
    private static String place;

    private final TestDatabase database;

    HttpsTaskTest(TestDatabase database) {
        this.database = database;
    }

    @BeforeAll
    static void start() throws Exception {
        KeyStore own = made("server", "-ext", "san=ip:127.0.0.1");
        KeyStore client = made("client");
        made("stranger");
        KeyStore ca = made("ca", "-ext", "bc:c");
        Files.writeString(directory.resolve("ca.pem"), certificate(own, "server") + certificate(ca, "ca"));
        KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
        trusted.load(null, null);
        trusted.setCertificateEntry("client", client.getCertificate("client"));
        server = server(own, trusted);
        place = place(server);
        keytool("-certreq", "-alias", "server", "-file", "server.csr", "-keystore", "server.p12");
        expired = server(signed(ca, "-startdate", "-10d", "-validity", "3", "-ext", "san=ip:127.0.0.1"), trusted);
        future = server(signed(ca, "-startdate", "+3d", "-ext", "san=ip:127.0.0.1"), trusted);
        stranger = server(signed(ca, "-ext", "san=dns:other.example"), trusted);
    }

    /** The key of the server with a certificate of that authority. */
    private static KeyStore signed(KeyStore ca, String... options) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                "-gencert", "-alias", "ca", "-infile", "server.csr", "-outfile", "server.crt", "-keystore", "ca.p12"));
        command.addAll(List.of(options));
        keytool(command.toArray(String[]::new));
        KeyStore own = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(directory.resolve("server.p12"));
                InputStream certificate = Files.newInputStream(directory.resolve("server.crt"))) {
            own.load(in, PASSWORD);
            Certificate leaf = CertificateFactory.getInstance("X.509").generateCertificate(certificate);
            own.setKeyEntry(
                    "server", own.getKey("server", PASSWORD), PASSWORD, new Certificate[] {leaf, ca.getCertificate("ca")
                    });
        }
        return own;
    }

    private static HttpsServer server(KeyStore own, KeyStore trusted) throws Exception {
        SSLContext tls = SSLContext.getInstance("TLS");
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(own, PASSWORD);
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        tls.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        HttpsServer made = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        made.setHttpsConfigurator(new HttpsConfigurator(tls) {
            @Override
            public void configure(HttpsParameters parameters) {
                SSLParameters wanted = tls.getDefaultSSLParameters();
                wanted.setWantClientAuth(true);
                parameters.setSSLParameters(wanted);
            }
        });
        made.setExecutor(Executors.newCachedThreadPool());
        made.createContext("/", exchange -> {
            byte[] answer = who((HttpsExchange) exchange).getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        made.start();
        return made;
    }

    private static String place(HttpsServer of) {
        return "https://127.0.0.1:" + of.getAddress().getPort();
    }

    private static String who(HttpsExchange exchange) {
        try {
            return exchange.getSSLSession().getPeerPrincipal().getName();
        } catch (SSLPeerUnverifiedException e) {
            return "nobody";
        }
    }

    @AfterAll
    static void stop() {
        for (HttpsServer each : List.of(server, expired, future, stranger)) each.stop(0);
    }

    private static KeyStore made(String name, String... more) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                "-genkeypair", "-alias", name, "-keyalg", "EC", "-dname", "CN=" + name, "-keystore", name + ".p12"));
        command.addAll(List.of(more));
        keytool(command.toArray(String[]::new));
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(directory.resolve(name + ".p12"))) {
            store.load(in, PASSWORD);
        }
        secret(name + ".pem", pem("PRIVATE KEY", store.getKey(name, PASSWORD).getEncoded()) + certificate(store, name));
        return store;
    }

    private static void keytool(String... options) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString()));
        command.addAll(List.of(options));
        command.addAll(List.of("-storetype", "PKCS12", "-storepass", new String(PASSWORD)));
        Path log = directory.resolve("keytool.log");
        Process keytool = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        assertThat(keytool.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(keytool.exitValue()).as(() -> log(log)).isZero();
    }

    private static String log(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return e.toString();
        }
    }

    private static void secret(String name, String text) throws IOException {
        Path file = Files.writeString(directory.resolve(name), text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }

    private static String certificate(KeyStore store, String name) throws Exception {
        return pem("CERTIFICATE", store.getCertificate(name).getEncoded());
    }

    private static String pem(String kind, byte[] bytes) {
        return "-----BEGIN " + kind + "-----\n"
                + Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
                        .encodeToString(bytes)
                + "\n-----END " + kind + "-----\n";
    }

    private static ReachSettings settings(String credentials) throws IOException {
        String name = "reach-" + FILES.incrementAndGet() + ".json";
        secret(name, "{\"authorities\": \"ca.pem\", \"knownHosts\": \"none\", \"credentials\": {" + credentials + "}}");
        return ReachSettings.of(
                List.of("https://127.0.0.1:*", "http" + place.substring("https".length())),
                directory.resolve(name),
                Map.of());
    }

    private static String credential(String name, String file) {
        return "\"" + name + "\": {\"kind\": \"certificate\", \"file\": \"" + file
                + "\", \"for\": [\"https://127.0.0.1:*\", \"http://127.0.0.1:*\"]}";
    }

    @Test
    void certificate_isShownByTheTasksThatNameIt() throws IOException {
        String all = credential("shop", "client.pem") + ", " + credential("other", "stranger.pem");
        try (ReachingTasks tasks = new ReachingTasks(database, settings(all))) {
            for (int i = 0; i < 2; i++) {
                assertThat(tasks.output(place + "/#as=shop", "")).isEqualTo("CN=client");
                // A kept connection of the task before has told who that one was.
                assertThat(tasks.output(place + "/", "")).isEqualTo("nobody");
            }
            // The server asks for certificates of others: none is shown.
            assertThat(tasks.output(place + "/#as=other", "")).isEqualTo("nobody");
            assertThat(tasks.error("http" + place.substring("https".length()) + "/#as=shop", ""))
                    .startsWith("ERROR:  the credential \"shop\" is a certificate, which needs https");
        }
    }

    @Test
    void certificate_ofATrustedAuthority_thatIsOutOfDateOrOfAnotherHost_isRefused() throws IOException {
        try (ReachingTasks tasks = new ReachingTasks(database, settings(credential("shop", "client.pem")))) {
            String certificate =
                    ": CN=server, valid from [-0-9]{10}T[0-9:]+Z to [-0-9]{10}T[0-9:]+Z, SHA-256 [0-9a-f]{64}";
            assertThat(tasks.error(place(expired) + "/", ""))
                    .matches("ERROR:  no secure connection to " + place(expired)
                            + "/\nDETAIL:  a certificate has expired" + certificate);
            assertThat(tasks.error(place(future) + "/", ""))
                    .matches("ERROR:  no secure connection to " + place(future)
                            + "/\nDETAIL:  a certificate is not valid yet" + certificate);
            assertThat(tasks.error(place(stranger) + "/#as=shop", ""))
                    .isEqualTo("ERROR:  no secure connection to " + place(stranger)
                            + "/\nDETAIL:  the certificate is for another host: No subject alternative names matching IP"
                            + " address 127.0.0.1 found");
            assertThat(database.value("SELECT string_agg(DISTINCT sqlstate, ' ') FROM task"))
                    .isEqualTo("W2003");
        }
    }

    @Test
    void request_throughAProxy_isEncryptedToItsServer() throws IOException {
        try (TestProxy proxy = new TestProxy()) {
            secret("proxy.pw", TestProxy.LOGIN.split(":")[1]);
            String proxies = "}, \"proxies\": {\"out\": {\"url\": \"" + proxy.url()
                    + "\", \"user\": \"howdah\", \"file\": \"proxy.pw\", \"for\": \"https://127.0.0.1:*\"}";
            try (ReachingTasks tasks =
                    new ReachingTasks(database, settings(credential("shop", "client.pem") + proxies))) {
                assertThat(tasks.output(place + "/#as=shop", "")).isEqualTo("CN=client");
                assertThat(tasks.output(place + "/", "")).isEqualTo("nobody");
                assertThat(tasks.output(place + "/", "")).isEqualTo("nobody");
            }
            // The two without a credential share a connection.
            String connect = "CONNECT " + place.substring("https://".length()) + " HTTP/1.1";
            assertThat(proxy.seen).containsExactly(connect, connect);
        }
    }

    @Test
    void file_thatIsNoKeyWithItsCertificate_isRefusedWhenItIsRead() throws Exception {
        String whole = Files.readString(directory.resolve("client.pem"));
        secret("half.pem", whole.substring(whole.indexOf("-----BEGIN CERTIFICATE")));
        secret("crypt.pem", whole.replace("PRIVATE KEY", "ENCRYPTED PRIVATE KEY"));
        secret(
                "broken.pem",
                pem("PRIVATE KEY", new byte[] {1, 2, 3}) + whole.substring(whole.indexOf("-----BEGIN CERTIFICATE")));
        assertThatThrownBy(() -> settings(credential("shop", "half.pem")))
                .hasMessageContaining(
                        "the credential \"shop\": it has to have a PRIVATE KEY and its CERTIFICATE in it");
        assertThatThrownBy(() -> settings(credential("shop", "crypt.pem")))
                .hasMessageContaining("openssl pkcs8 -topk8 -nocrypt");
        assertThatThrownBy(() -> settings(credential("shop", "broken.pem")))
                .hasMessageContaining("its private key is none of RSA, EC, Ed25519");
    }

    @Test
    void probe_securesTheConnectionWithoutARequest() throws IOException {
        ReachSettings settings = settings(credential("client", "client.pem"));
        assertThat(ReachingTasks.steps(settings, place + "/x#as=client"))
                .contains(
                        "OK tls: TLSv1.3, certificate valid until 20",
                        "SKIPPED login: a request would have to be sent");
        assertThat(ReachingTasks.steps(settings, place(expired) + "/"))
                .contains("FAILED tls: a certificate has expired: CN=server, valid from ");
        assertThat(ReachingTasks.steps(settings, place(stranger) + "/"))
                .contains("FAILED tls: the certificate is for another host: ");
    }
}
