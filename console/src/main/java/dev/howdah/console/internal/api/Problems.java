package dev.howdah.console.internal.api;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.page.BadRequestException;
import dev.howdah.console.internal.page.NotFoundException;
import dev.howdah.internal.sql.SqlErrors;
import io.javalin.http.Context;
import io.javalin.http.HttpResponseException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Errors as RFC 9457 has them: {@code application/problem+json}, without stacks, statements and names of hosts. */
public final class Problems {
    /** The media type. */
    public static final String TYPE = "application/problem+json";

    private static final Logger log = LoggerFactory.getLogger(Problems.class);

    private static final Map<Integer, String> TYPES = Map.of(
            400, "bad-request",
            401, "unauthenticated",
            403, "forbidden",
            404, "not-found",
            405, "method-not-allowed",
            413, "body-too-large",
            415, "unsupported-media-type",
            421, "wrong-host",
            429, "rate-limited");

    /** Of these the message of the database says what was wrong with the request. */
    private static final Set<String> DATA = Set.of("22", "23", "P0");

    /** The state of what is there forbids it: a key that is in use or has a newer version, a name that is taken. */
    private static final Set<String> CONFLICTS = Set.of("23505", "42710", "55000");

    /** As {@code MissingPrivilege} says it. */
    private static final Pattern GRANT = Pattern.compile("Run: (GRANT .+)");

    private Problems() {}

    /** Answers with a problem that has that status. */
    public static void send(Context context, int status, String detail) {
        send(context, status, json(status, TYPES.getOrDefault(status, "error"), detail));
    }

    /** Answers with that problem. */
    public static void send(Context context, ApiProblemException problem) {
        send(context, problem.status(), json(problem));
    }

    /** The problem as JSON. */
    public static ObjectNode json(ApiProblemException problem) {
        ObjectNode json = json(problem.status(), problem.type(), problem.detail());
        ApiJson.put(json, "sqlstate", problem.sqlState());
        Matcher grant = GRANT.matcher(problem.detail());
        if (grant.find()) json.put("grant", grant.group(1));
        if (!problem.fields().isEmpty()) {
            ArrayNode errors = json.putArray("errors");
            problem.fields()
                    .forEach((pointer, detail) ->
                            errors.addObject().put("pointer", pointer).put("detail", detail));
        }
        return json;
    }

    private static ObjectNode json(int status, String type, String detail) {
        ObjectNode json = ApiJson.object();
        json.put("type", "urn:howdah:problem:" + type);
        json.put("title", type.replace('-', ' '));
        json.put("status", status);
        json.put("detail", detail);
        return json;
    }

    private static void send(Context context, int status, ObjectNode json) {
        context.status(status).contentType(TYPE).result(ApiJson.text(json).getBytes(StandardCharsets.UTF_8));
        if (status == 401) context.header("WWW-Authenticate", "Bearer");
        if (status == 429 || status == 503) context.header("Retry-After", "1");
    }

    /** The problem of what a route has thrown. */
    public static ApiProblemException of(Throwable thrown) {
        if (thrown instanceof ApiProblemException problem) return problem;
        String message = String.valueOf(thrown.getMessage());
        if (thrown instanceof NotFoundException) return ApiProblemException.notFound(message);
        if (thrown instanceof BadRequestException || thrown instanceof IllegalArgumentException)
            return ApiProblemException.invalid(message);
        if (thrown instanceof HttpResponseException http)
            return new ApiProblemException(http.getStatus(), TYPES.getOrDefault(http.getStatus(), "error"), message);
        SQLException cause = cause(thrown);
        if (cause != null) {
            String state = cause.getSQLState();
            return state == null ? ofDatabase(cause) : ofDatabase(cause).withSqlState(state);
        }
        if (thrown instanceof dev.howdah.job.JobsException) return ApiProblemException.conflict(message);
        log.warn("a request was not answered", thrown);
        return new ApiProblemException(500, "error", "the request was not answered; the log of the console says why");
    }

    private static @Nullable SQLException cause(Throwable thrown) {
        SQLException cause = null;
        Throwable each = thrown;
        for (int i = 0; each != null && i < 20; i++, each = each.getCause())
            if (each instanceof SQLException sql) cause = sql;
        return cause;
    }

    /** Whether the database could not be asked: it does not answer, or no connection to it was free. */
    public static boolean isUnreachable(SQLException e) {
        return SqlErrors.isConnectionLost(e)
                || SqlErrors.isOutOfResources(e)
                || e instanceof SQLTransientConnectionException;
    }

    private static ApiProblemException ofDatabase(SQLException cause) {
        String state = String.valueOf(cause.getSQLState());
        String said = String.valueOf(cause.getMessage()).lines().findFirst().orElse("");
        if (said.startsWith("ERROR: ")) said = said.substring("ERROR: ".length());
        if (state.equals("42501")) return new ApiProblemException(403, "privilege-missing", said);
        if (state.equals("42P01") || state.equals("3F000") || state.equals("42883"))
            return new ApiProblemException(
                    409,
                    "not-installed",
                    "this database has no tables of that feature, or older ones: /features/{feature}/install creates those of"
                            + " jobs, processes or sweeps");
        // In the words of Howdah's functions, or a type or a role that a value names.
        if (state.equals("42704") && said.startsWith("there is no ")) return ApiProblemException.notFound(said);
        if (state.equals("42703") || state.equals("42704")) return ApiProblemException.invalid(said);
        if (state.equals("57014"))
            return new ApiProblemException(504, "timeout", "the database took too long; a narrower filter may help");
        if (state.equals("53H01")) return new ApiProblemException(503, "log-queue-full", said);
        if (isUnreachable(cause))
            return new ApiProblemException(503, "database-unreachable", "there is no connection to the database");
        if (state.equals("25006"))
            return new ApiProblemException(503, "database-unreachable", "the database takes no changes now");
        if (CONFLICTS.contains(state)) return ApiProblemException.conflict(said);
        if (state.equals("0A000") || state.equals("54000")) return ApiProblemException.invalid(said);
        if (state.length() == 5 && DATA.contains(state.substring(0, 2))) return ApiProblemException.invalid(said);
        log.warn("a request was not answered", cause);
        return new ApiProblemException(500, "error", "the database has refused that (SQLSTATE " + state + ")");
    }
}
