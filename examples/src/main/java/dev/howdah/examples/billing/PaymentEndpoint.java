package dev.howdah.examples.billing;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.sql.DataSource;

/**
 * Takes payments by HTTP: {@code POST /payments} with {@code {"external": "pay-1", "customer": 17, "amount": 41.80}} writes a row and
 * answers. A payment that is sent again changes nothing. All that follows is the work of tasks. Safe for use by many threads.
 */
public final class PaymentEndpoint implements AutoCloseable {
    private static final int THREADS = 8;
    private static final int LARGEST = 10_000;
    private static final String INSERT = """
            INSERT INTO billing.payment (external, customer, amount)
            SELECT j ->> 'external', (j ->> 'customer')::integer, (j ->> 'amount')::numeric
            FROM (SELECT ?::jsonb) p (j)
            ON CONFLICT (external) DO NOTHING
            """;

    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    private final DataSource source;
    private final HttpServer server;

    /** @param source with the rights of a role that may insert payments and tasks, and no more */
    public PaymentEndpoint(DataSource source) throws IOException {
        this.source = source;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/payments", this::take);
        server.start();
    }

    public URI address() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/payments");
    }

    private void take(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] body = exchange.getRequestBody().readNBytes(LARGEST + 1);
            if (!exchange.getRequestMethod().equals("POST")) answer(exchange, 405, "payments are sent by POST");
            else if (body.length > LARGEST) answer(exchange, 413, "a payment has at most " + LARGEST + " bytes");
            else insert(exchange, new String(body, StandardCharsets.UTF_8));
        }
    }

    private void insert(HttpExchange exchange, String payment) throws IOException {
        try (Connection connection = source.getConnection();
                PreparedStatement insert = connection.prepareStatement(INSERT)) {
            insert.setString(1, payment);
            boolean isNew = insert.executeUpdate() == 1;
            answer(exchange, isNew ? 201 : 200, isNew ? "taken" : "known");
        } catch (SQLException e) {
            String state = String.valueOf(e.getSQLState());
            if (state.equals("23503")) answer(exchange, 404, "there is no such customer");
            else if (state.startsWith("22") || state.startsWith("23"))
                answer(exchange, 400, "a payment is {\"external\": \"pay-1\", \"customer\": 17, \"amount\": 41.80}");
            else answer(exchange, 503, "later");
        }
    }

    private static void answer(HttpExchange exchange, int status, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
