package dev.howdah.console.internal.signal;

import com.fasterxml.jackson.databind.JsonNode;
import dev.howdah.console.internal.access.Caller;
import dev.howdah.console.internal.api.ApiAnswer;
import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.console.internal.api.ApiRequest;
import dev.howdah.console.internal.api.ApiRoute;
import dev.howdah.console.internal.api.Problems;
import dev.howdah.console.internal.audit.Audit;
import dev.howdah.console.internal.data.ActorSource;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlFile;
import dev.howdah.operations.Role;
import dev.howdah.operations.change.JobOperations;
import dev.howdah.operations.shape.Field;
import dev.howdah.operations.shape.FieldType;
import dev.howdah.operations.shape.Shape;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;

/** Sends the signals of tokens. The database is asked by the digest of a token, which is told to nothing else. Safe for use by many threads. */
public final class TokenSignals {
    private static final SqlFile FILE = SqlFile.of(TokenSignals.class, "token.sql");
    private static final Sql FIND = FILE.statement("signal_token_find");
    private static final Sql USE = FILE.statement("signal_token_use");
    private static final int MOST_BYTES = 70_000;
    private static final int GONE = 410;
    private static final String KEPT = "kept";

    private static final Shape REQUEST =
            Shape.of("TokenSignal", Field.maybe("payload", FieldType.JSON, "what the signal says; null unless given"));

    private static final Shape ANSWER = Shape.of(
            "TokenSignalResult", Field.of("result", FieldType.TEXT, "kept: it is read by the handler of the job"));

    private final ConsoleData data;
    private final Audit audit;

    public TokenSignals(ConsoleData data, Audit audit) {
        this.data = data;
        this.audit = audit;
    }

    /** What the database knows of a token. */
    private record Known(long job, String name) {}

    /** The route of the API, which asks for no login. */
    public ApiRoute route() {
        return ApiRoute.change(
                        "/signals/{token}",
                        "sendTokenSignal",
                        "Sends the one signal of a token; 410: the token was used, or its time or its job is over.")
                .role(Role.SENDER)
                .open()
                .upTo(MOST_BYTES)
                .takes(REQUEST)
                .answers(ANSWER)
                .does(this::answer);
    }

    private ApiAnswer answer(ApiRequest request) {
        JsonNode payload = request.body().get("payload");
        send(request.caller(), request.name("token"), payload == null ? "null" : ApiJson.text(payload));
        return ApiAnswer.ok(ApiJson.object().put("result", KEPT));
    }

    /**
     * The name of the signal that a token sends.
     *
     * @throws ApiProblemException 404 or 410, if it sends none
     */
    public String name(String token) {
        return find(token).name();
    }

    /** @throws ApiProblemException 404 or 410, if it sends none */
    public void send(Caller caller, String token, String payload) {
        Known known = find(token);
        Audit.Change change = audit.begin(
                caller,
                JobOperations.SIGNAL,
                name -> name.equals("id") ? Long.toString(known.job()) : null,
                Map.of("name", List.of(known.name()), "payload", List.of(payload)));
        String result;
        try {
            result = ActorSource.as(caller.name(), () -> use(token, payload));
        } catch (RuntimeException e) {
            change.failed(Problems.of(e).detail());
            throw e;
        }
        if (!result.equals(KEPT)) {
            change.failed(result);
            throw over();
        }
        change.done(result);
    }

    private Known find(String token) {
        try (Connection connection = data.source().getConnection();
                PreparedStatement statement = FIND.prepare(connection, (Object) digest(token));
                ResultSet row = statement.executeQuery()) {
            if (!row.next()) throw unknown();
            if (!row.getBoolean("is_open")) throw over();
            return new Known(row.getLong("job"), row.getString("name"));
        } catch (SQLException e) {
            throw new IllegalStateException("a token is not looked up", e);
        }
    }

    private String use(String token, String payload) {
        try (Connection connection = data.source().getConnection();
                PreparedStatement statement = USE.prepare(connection, digest(token), payload);
                ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getString(1);
        } catch (SQLException e) {
            throw new IllegalStateException("a signal with a token is not sent", e);
        }
    }

    private static byte[] digest(String token) {
        if (!token.matches("[0-9a-f]{40}")) throw unknown();
        try {
            return MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("each JVM has SHA-256", e);
        }
    }

    private static ApiProblemException unknown() {
        return ApiProblemException.notFound("there is no such token");
    }

    private static ApiProblemException over() {
        return new ApiProblemException(GONE, "gone", "this token was used, or its time is over, or its job has ended");
    }
}
