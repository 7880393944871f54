package dev.howdah.console.internal.api.job;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.console.internal.api.ApiRequest;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlFile;
import dev.howdah.job.NewJob;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Adds the jobs of a body by one statement. */
final class JobBatch {
    private static final int MOST = 1_000;
    private static final Sql ENTER = SqlFile.of(JobBatch.class, "batch.sql").statement("job_enter_many");

    private static final int FORBIDDEN = 403;

    private JobBatch() {}

    /**
     * The jobs as the statement takes them.
     *
     * @throws ApiProblemException if one of them cannot be; it says which one
     */
    static ArrayNode read(ApiRequest request) {
        JsonNode sent = request.body().path("jobs");
        if (sent.isEmpty() || sent.size() > MOST)
            throw ApiProblemException.invalid("jobs has " + sent.size() + " jobs: it has to be 1 to " + MOST);
        ArrayNode jobs = ApiJson.object().arrayNode();
        for (int i = 0; i < sent.size(); i++) {
            try {
                jobs.add(json(NewJobReader.read(request.with((ObjectNode) sent.get(i)))));
            } catch (ApiProblemException | IllegalArgumentException e) {
                if (e instanceof ApiProblemException problem && problem.status() == FORBIDDEN) throw problem;
                throw ApiProblemException.at("/jobs/" + i, "jobs[" + i + "]: " + e.getMessage());
            }
        }
        return jobs;
    }

    /** One job as the statement takes it. */
    static ArrayNode of(NewJob<JsonNode> job) {
        return ApiJson.object().arrayNode().add(json(job));
    }

    private static ObjectNode json(NewJob<JsonNode> job) {
        ObjectNode json = ApiJson.object();
        json.put("queue", job.queue());
        json.put("kind", job.kind().name());
        json.set("payload", job.payload());
        json.put("priority", job.priority());
        ApiJson.put(json, "run_at", job.runAt());
        ApiJson.put(json, "delay", job.delay().isZero() ? null : job.delay());
        ApiJson.put(json, "key", job.key());
        ApiJson.put(json, "attempts", job.maxAttempts() == 0 ? null : job.maxAttempts());
        ApiJson.put(json, "timeout", job.timeout().isZero() ? null : job.timeout());
        ApiJson.put(json, "version", job.version());
        ApiJson.put(json, "order_key", job.orderKey());
        String options = job.options();
        if (options != null) json.set("options", ApiJson.stored(options));
        return json;
    }

    /** Adds them in the transaction of that connection; the answer has them in their order. */
    static ObjectNode add(Connection connection, ArrayNode jobs) throws SQLException {
        ObjectNode answer = ApiJson.object();
        ArrayNode added = answer.putArray("jobs");
        try (PreparedStatement statement = ENTER.prepare(connection, ApiJson.text(jobs));
                ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                ObjectNode job = added.addObject();
                ApiJson.put(job, "id", rows.getLong("id"));
                ApiJson.put(job, "added", rows.getBoolean("added"));
            }
        }
        return answer;
    }
}
