package dev.howdah.console;

import dev.howdah.console.internal.web.ConsolePort;
import dev.howdah.operations.store.ConsoleSchema;
import java.net.URI;
import java.util.List;
import javax.sql.DataSource;

/**
 * The console: a web server that shows tasks, jobs, processes, sweeps, nodes and the health of the database, and changes them.
 *
 * <pre>{@code
 * try (Console console = Console.on(dataSource).port(8080).start()) {
 *     System.out.println(console.address());
 * }
 * }</pre>
 *
 * <p>It listens on the loopback address unless {@link ConsoleBuilder#listen} says otherwise. Without {@link ConsoleBuilder#login} each user of the machine can open it, with the
 * privileges of the data source. Requests that name another host, or come from pages of other origins, are refused. Safe for use by
 * many threads.
 */
public final class Console implements AutoCloseable {
    private final ConsolePort port;

    Console(ConsolePort port) {
        this.port = port;
    }

    /** Makes a console of the database of that data source. */
    public static ConsoleBuilder on(DataSource dataSource) {
        return new ConsoleBuilder(dataSource);
    }

    /** Returns the version of the console's own tables that this program needs. */
    public static int schemaVersion() {
        return ConsoleSchema.MIGRATIONS.files().size();
    }

    /** Returns where it is, such as {@code http://127.0.0.1:8080}. */
    public URI address() {
        return URI.create("http://127.0.0.1:" + port.number());
    }

    /**
     * Begins to answer after {@link ConsoleBuilder#bind}. Does nothing if it answers already, or is closed. It takes some tenths of a second.
     *
     * @throws RuntimeException if the server cannot begin
     */
    public void serve() {
        port.serve();
    }

    /**
     * Returns a link that opens it: the address, or where a login is needed, a link that opens a session once within the next ten
     * minutes.
     */
    public URI link() {
        return address().resolve(port.loginPath());
    }

    /**
     * Returns the secret with which a program on this machine asks for another link: by POST to {@code /login-link}, in the header
     * {@code X-Howdah-Secret}. To be kept where only its owner can read it.
     */
    public String secret() {
        return port.secret();
    }

    /** The methods and paths that the server answers, such as {@code GET /api/v1/jobs/{id}}. */
    List<String> routes() {
        return port.routes();
    }

    /** Ends all requests and stops listening. */
    @Override
    public void close() {
        port.close();
    }
}
