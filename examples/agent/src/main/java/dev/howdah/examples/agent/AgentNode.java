package dev.howdah.examples.agent;

import dev.howdah.job.Jobs;
import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.openai.OpenAiChatModel;
import java.net.URI;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.postgresql.ds.PGSimpleDataSource;

/** Answers complaints until it is killed; start as many as you like. */
public final class AgentNode {
    private AgentNode() {}

    /** @param arguments the database as pgjdbc has it, the address of a model server of OpenAI's kind, and that of the shop with a slash at its end */
    public static void main(String[] arguments) throws InterruptedException, SQLException {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setURL(arguments[0]);
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE IF NOT EXISTS refund (purchase integer NOT NULL, cents integer NOT NULL)");
        }
        ComplaintTools tools = new ComplaintTools(new Shop(URI.create(arguments[2])));
        ComplaintAgent agent = new ComplaintAgent(key -> model(arguments[1], key), tools);
        try (Jobs jobs = agent.handledBy(Jobs.on(source).concurrency(50)).start()) {
            System.out.println("answers complaints as node " + jobs.node());
            new CountDownLatch(1).await();
        }
    }

    /** The job tries again what failed, and nothing else does: so each attempt is to be seen, and waits as the job says. */
    private static ChatModel model(String address, String key) {
        String secret = System.getenv("MODEL_KEY");
        return OpenAiChatModel.builder()
                .baseUrl(address)
                .apiKey(secret == null ? "none" : secret)
                .modelName("gpt-4.1")
                .timeout(Duration.ofMinutes(2))
                .maxRetries(0)
                .customHeaders(Map.of("Idempotency-Key", key))
                .build();
    }
}
