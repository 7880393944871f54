package dev.howdah.console.internal.web;

import dev.howdah.console.ConsoleMonitoring;
import dev.howdah.console.internal.access.AccessSettings;
import dev.howdah.console.internal.access.Caller;
import dev.howdah.console.internal.access.LoginServer;
import dev.howdah.console.internal.access.NeededRole;
import dev.howdah.console.internal.access.RefusedException;
import dev.howdah.console.internal.access.RequestGuard;
import dev.howdah.console.internal.access.RequestGuard.Open;
import dev.howdah.console.internal.access.Secret;
import dev.howdah.console.internal.agent.AgentServer;
import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.console.internal.api.Problems;
import dev.howdah.console.internal.audit.Audit;
import dev.howdah.console.internal.audit.AuditPage;
import dev.howdah.console.internal.bulk.BulkPages;
import dev.howdah.console.internal.bulk.BulkRuns;
import dev.howdah.console.internal.calendar.CalendarPages;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.data.RecentSnapshot;
import dev.howdah.console.internal.install.InstallPages;
import dev.howdah.console.internal.job.JobPages;
import dev.howdah.console.internal.live.LivePages;
import dev.howdah.console.internal.live.LiveStream;
import dev.howdah.console.internal.node.NodePages;
import dev.howdah.console.internal.oidc.OpenIdLogin;
import dev.howdah.console.internal.oidc.OpenIdSettings;
import dev.howdah.console.internal.operation.OperationAction;
import dev.howdah.console.internal.overview.OverviewPages;
import dev.howdah.console.internal.page.BadRequestException;
import dev.howdah.console.internal.page.NotFoundException;
import dev.howdah.console.internal.page.PageAction;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.Part;
import dev.howdah.console.internal.page.Routes;
import dev.howdah.console.internal.page.View;
import dev.howdah.console.internal.probe.Probes;
import dev.howdah.console.internal.process.ProcessPages;
import dev.howdah.console.internal.queue.QueuePages;
import dev.howdah.console.internal.schedule.SchedulePages;
import dev.howdah.console.internal.settings.SettingsPages;
import dev.howdah.console.internal.signal.SignalPages;
import dev.howdah.console.internal.signal.TokenSignals;
import dev.howdah.console.internal.sweep.StartedSweeps;
import dev.howdah.console.internal.sweep.SweepLauncher;
import dev.howdah.console.internal.sweep.SweepPages;
import dev.howdah.console.internal.task.TaskPages;
import dev.howdah.console.internal.task.TaskSchedulesPart;
import dev.howdah.console.internal.token.TokenPages;
import dev.howdah.console.internal.workflow.WorkflowPages;
import dev.howdah.operations.Role;
import dev.howdah.operations.change.Operations;
import dev.howdah.operations.read.EngineReads;
import dev.howdah.operations.store.AuditStore;
import dev.howdah.operations.store.TokenStore;
import io.javalin.Javalin;
import io.javalin.config.JavalinConfig;
import io.javalin.http.Context;
import io.javalin.http.HandlerType;
import io.javalin.http.HttpResponseException;
import io.javalin.http.sse.SseClient;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;

/** The HTTP server of the console, on a port that was taken before. */
public final class ConsoleServer implements AutoCloseable {
    private static final int MOST_THREADS = 24;
    private static final int IDLE_MILLIS = 30_000;
    private static final long LARGEST_FORM = 10_000_000;

    private final Javalin javalin;
    private final Routes<PageController> pages;
    private final Routes<PageAction> actions;
    private final LivePages live;
    private final BulkRuns bulk;
    private final ConsoleApi api;
    private final @Nullable StartedSweeps sweeps;

    private ConsoleServer(
            Javalin javalin,
            Routes<PageController> pages,
            Routes<PageAction> actions,
            LivePages live,
            BulkRuns bulk,
            ConsoleApi api,
            @Nullable StartedSweeps sweeps) {
        this.pages = pages;
        this.actions = actions;
        this.sweeps = sweeps;
        this.api = api;
        this.javalin = javalin;
        this.bulk = bulk;
        this.live = live;
    }

    /**
     * What the server is set to.
     *
     * @param access how it is reached, and by whom
     * @param openId null: logins by no provider
     * @param database its host and name, for people
     * @param label of the environment; null: none
     * @param version of the program
     * @param sweeps sessions for sweeps that are started here; null: none are
     * @param workers sessions of the nodes that claim for workers; null: those of the pages
     * @param given settings of the program that may be shown
     * @param monitoring what is told to monitoring; null: nothing
     * @param others the names and addresses of consoles of other databases
     */
    public record Settings(
            AccessSettings access,
            @Nullable OpenIdSettings openId,
            Supplier<String> database,
            @Nullable String label,
            String version,
            @Nullable DataSource sweeps,
            @Nullable DataSource workers,
            Map<String, String> given,
            @Nullable ConsoleMonitoring monitoring,
            Supplier<Map<String, URI>> others) {}

    /** Begins to answer on that port. */
    static ConsoleServer start(ConsolePort port) {
        ConsoleData data = port.data();
        Settings settings = port.settings();
        Secret secret = port.forms();
        AccessSettings access = settings.access();
        AuditStore rows = port.rows();
        Audit audit = port.audit();
        TokenStore tokens = port.tokens();
        LoginServer logins = port.logins();
        RequestGuard guard = port.guard();
        OpenIdLogin openId =
                settings.openId() == null ? null : new OpenIdLogin(settings.openId(), logins, access.base());
        Assets assets = new Assets();
        Renderer renderer = new Renderer(access);
        Routes<PageController> controllers = new Routes<>();
        Routes<PageAction> actions = new Routes<>();
        OverviewPages.add(data, controllers);
        NodePages.add(data, controllers);
        controllers.add("/audit", Role.ADMINISTRATOR, new AuditPage(data));
        BulkRuns bulk = BulkRuns.in(data.source(), data.schema());
        TaskPages.add(data, bulk, controllers, actions);
        QueuePages.add(data, controllers);
        WorkflowPages.add(data, controllers);
        JobPages.add(data, bulk, controllers, actions);
        BulkPages.add(bulk, controllers, actions);
        SchedulePages.add(data, new TaskSchedulesPart(data).part(), controllers, actions);
        CalendarPages.add(data, controllers, actions);
        InstallPages.add(data, actions);
        TokenPages.add(tokens, controllers, actions);
        SettingsPages.add(data, access, port.program(), logins, controllers, actions);
        ProcessPages.add(data, bulk, controllers, actions);
        DataSource sessions = settings.sweeps();
        StartedSweeps sweeps = sessions == null ? null : new StartedSweeps(sessions);
        SweepLauncher launcher = sweeps == null ? null : new SweepLauncher(data, sweeps);
        SweepPages.add(data, launcher, controllers, actions);
        OperationAction.add(data, Operations.all(), actions);
        PageServer pages = new PageServer(
                controllers,
                actions,
                renderer,
                guard,
                secret,
                logins,
                assets,
                settings.database(),
                settings.label(),
                settings.others(),
                settings.version(),
                access,
                audit,
                openId == null ? null : openId.name());
        EngineReads queries = new EngineReads(data.source(), data.schema());
        RecentSnapshot snapshot = new RecentSnapshot(queries);
        LivePages live = new LivePages(
                () -> snapshot.get() + " " + bulk.ended(),
                (session, address) -> parts(pages, renderer, logins, session, address),
                port::sessionsTaken,
                session -> logins.role(session) != null);
        ConsoleApi api = ConsoleApi.of(port, bulk, snapshot, launcher);
        AgentServer agents = new AgentServer(api.tools(), settings.version());
        Javalin javalin = Javalin.create(config -> {
            configure(config, port);
            config.routes.before(guard::check);
            config.routes.beforeMatched(guard::checkRole);
            RequestGuard.read(config.routes, "/static/{digest}/{name}", assets::serve, Open.TO_ALL);
            new SignalPages(new TokenSignals(data, audit), renderer::signal, access.base(), assets::path)
                    .addTo(config.routes);
            api.server().addTo(config.routes);
            api.eventRoutes().addSocket(config.routes, guard);
            agents.addTo(config.routes);
            ConsoleMonitoring monitoring = settings.monitoring();
            if (monitoring != null) new Probes(monitoring).addTo(config.routes);
            RequestGuard.read(config.routes, "/login", context -> login(context, logins), Open.TO_ALL);
            config.routes.post("/login", logins::exchange, Open.TO_ALL);
            if (openId != null) {
                RequestGuard.read(config.routes, OpenIdLogin.PATH, openId::begin, Open.TO_ALL);
                RequestGuard.read(config.routes, OpenIdLogin.CALLBACK, openId::end, Open.TO_ALL);
            }
            config.routes.post("/login-link", logins::link, Open.TO_ALL);
            config.routes.post(
                    "/logout",
                    context -> {
                        live.end(logins.session(context));
                        logins.logout(context);
                    },
                    NeededRole.VIEWER);
            config.routes.sse("/stream", client -> stream(client, pages, live), NeededRole.VIEWER);
            config.routes.head("/stream", context -> {}, NeededRole.VIEWER);
            api.lists().addFiles(config.routes);
            // Each page, and each form, has a role of its own.
            config.routes.get("/*", pages::get, NeededRole.VIEWER);
            config.routes.head("/*", pages::get, NeededRole.VIEWER);
            config.routes.post("/*", pages::post, NeededRole.VIEWER);
            config.routes.exception(Exception.class, (e, context) -> fail(pages, context, e));
            config.routes.exception(RefusedException.class, (e, context) -> refuse(pages, context, e));
            config.routes.exception(HttpResponseException.class, (e, context) -> refuse(pages, context, e));
            config.routes.exception(
                    BadRequestException.class, (e, context) -> pages.message(context, 400, e.getMessage()));
            config.routes.exception(
                    NotFoundException.class, (e, context) -> pages.message(context, 404, e.getMessage()));
        });
        javalin.start();
        return new ConsoleServer(javalin, controllers, actions, live, bulk, api, sweeps);
    }

    private static void login(Context context, LoginServer logins) {
        if (context.queryParam("key") == null && logins.isNeeded())
            throw new RefusedException(401, "A token opens the console, or a link of \"howdah console\".");
        logins.login(context);
    }

    private static void configure(JavalinConfig config, ConsolePort port) {
        config.startup.showJavalinBanner = false;
        config.startup.showOldJavalinVersionWarning = false;
        config.startup.startupWatcherEnabled = false;
        config.http.maxRequestSize = LARGEST_FORM;
        QueuedThreadPool threads = new QueuedThreadPool(MOST_THREADS, 2);
        threads.setName("howdah-console");
        threads.setDaemon(true);
        config.jetty.threadPool = threads;
        config.jetty.modifyHttpConfiguration(http -> {
            http.setSendServerVersion(false);
            http.setRequestHeaderSize(16_384);
            http.setIdleTimeout(IDLE_MILLIS);
        });
        config.jetty.addConnector(port::connector);
        config.jetty.modifyServer(server -> {
            server.setErrorHandler(new Refusals());
            SlowClients.guard(server, port.settings().access().base());
        });
    }

    private static void refuse(PageServer pages, Context context, RefusedException refused) {
        if (isApi(context)) {
            Problems.send(context, refused.status(), refused.getMessage());
            context.skipRemainingHandlers();
            return;
        }
        boolean isLogin = context.req().getRequestURI().startsWith("/login");
        if ((refused.status() == 401 || isLogin) && isForPeople(context)) pages.login(context, refused);
        else say(pages, context, refused.status(), refused.getMessage());
        context.skipRemainingHandlers();
    }

    private static boolean isForPeople(Context context) {
        String wanted = context.header("Accept");
        return wanted != null && wanted.contains("text/html");
    }

    /** Answers with a sentence: on a page where it is known who asks, else as text. */
    private static void say(PageServer pages, Context context, int status, String sentence) {
        if (isForPeople(context) && Caller.isKnown(context)) pages.message(context, status, sentence);
        else context.status(status).contentType("text/plain; charset=utf-8").result(sentence + "\n");
    }

    private static String sentence(String detail) {
        return Character.toUpperCase(detail.charAt(0)) + detail.substring(1) + ".";
    }

    /** What nothing else has answered, such as a login that cannot be looked up. */
    private static void fail(PageServer pages, Context context, Exception thrown) {
        ApiProblemException problem = Problems.of(thrown);
        if (isApi(context)) Problems.send(context, problem);
        else {
            say(pages, context, problem.status(), sentence(problem.detail()));
            if (problem.status() == 503) context.header("Retry-After", "1");
        }
        context.skipRemainingHandlers();
    }

    private static boolean isApi(Context context) {
        return RequestGuard.isApi(context);
    }

    /** What the server itself refuses, such as a body that is too large. */
    private static void refuse(PageServer pages, Context context, HttpResponseException refused) {
        String message = String.valueOf(refused.getMessage());
        if (isApi(context)) Problems.send(context, refused.getStatus(), message);
        else say(pages, context, refused.getStatus(), message);
    }

    private static Map<String, String> parts(
            PageServer pages, Renderer renderer, LoginServer logins, String session, String address) {
        Role role = logins.role(session);
        if (role == null) throw new RefusedException(401, "This session has ended.");
        int mark = address.indexOf('?');
        PageServer.Found found = mark < 0
                ? pages.find(address, Map.of(), role)
                : pages.find(address.substring(0, mark), PageServer.query(address.substring(mark + 1)), role);
        View view = pages.view(found.request(), session, role);
        Map<String, String> html = new LinkedHashMap<>();
        for (Part part : found.page().parts()) html.put(part.name(), renderer.part(view, part));
        return html;
    }

    private static void stream(SseClient client, PageServer pages, LivePages live) {
        Caller caller = Caller.of(client.ctx());
        String address = client.ctx().queryParam("view");
        if (address == null || !address.startsWith("/")) throw new BadRequestException("view has to be a path");
        int mark = address.indexOf('?');
        // An address without a page is refused before the stream begins.
        pages.find(
                mark < 0 ? address : address.substring(0, mark),
                PageServer.query(mark < 0 ? null : address.substring(mark + 1)),
                caller.role());
        client.ctx().header("Cache-Control", "no-store").header("X-Accel-Buffering", "no");
        LiveStream stream = new LiveStream(caller.session(), address, new SseWire(client));
        if (!live.add(stream)) {
            client.sendEvent("state", "full");
            client.close();
            return;
        }
        stream.offer("run", pages.run());
        client.keepAlive();
        client.onClose(() -> live.remove(stream));
    }

    /** The methods and paths of all routes, and of the pages and forms behind two of them, in their order. */
    public List<String> routes() {
        return Stream.of(
                        javalin.unsafe.internalRouter.allHttpHandlers().stream()
                                // What checks requests for WebSockets is no route.
                                .filter(each -> each.endpoint.method != HandlerType.WEBSOCKET_BEFORE_UPGRADE)
                                .map(each -> each.endpoint.method.name() + " " + each.endpoint.path),
                        pages.patterns().stream().map(each -> "GET " + each),
                        actions.patterns().stream().map(each -> "POST " + each))
                .flatMap(each -> each)
                .toList();
    }

    /** How many browsers look at pages. */
    public int streams() {
        return live.size();
    }

    @Override
    public void close() {
        live.close();
        api.events().close();
        bulk.close();
        if (sweeps != null) sweeps.close();
        // While requests are answered: workers get to know what was written of their jobs.
        api.workers().close();
        api.waits().close();
        javalin.stop();
    }
}
