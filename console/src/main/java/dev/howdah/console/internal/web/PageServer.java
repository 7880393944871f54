package dev.howdah.console.internal.web;

import dev.howdah.console.internal.access.AccessSettings;
import dev.howdah.console.internal.access.Caller;
import dev.howdah.console.internal.access.LoginServer;
import dev.howdah.console.internal.access.RefusedException;
import dev.howdah.console.internal.access.RequestGuard;
import dev.howdah.console.internal.access.Secret;
import dev.howdah.console.internal.audit.Audit;
import dev.howdah.console.internal.data.ActorSource;
import dev.howdah.console.internal.page.ActionRequest;
import dev.howdah.console.internal.page.ActionResult;
import dev.howdah.console.internal.page.ActionResult.Undo;
import dev.howdah.console.internal.page.BadRequestException;
import dev.howdah.console.internal.page.NotFoundException;
import dev.howdah.console.internal.page.Page;
import dev.howdah.console.internal.page.PageAction;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Part;
import dev.howdah.console.internal.page.Routes;
import dev.howdah.console.internal.page.Section;
import dev.howdah.console.internal.page.View;
import dev.howdah.operations.Role;
import io.javalin.http.Context;
import io.javalin.http.Cookie;
import io.javalin.http.HandlerType;
import io.javalin.http.HttpStatus;
import io.javalin.http.SameSite;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Answers requests for pages, and the forms that their buttons send. Safe for use by many threads. */
public final class PageServer {
    private static final String SAID = "howdah-said";
    /** The field of a form that is only checked: its page is shown again, with what was typed and what is wrong with it. */
    private static final String CHECK = "check";

    private final Routes<PageController> pages;
    private final Routes<PageAction> actions;
    private final Renderer renderer;
    private final RequestGuard guard;
    private final Secret secret;
    private final LoginServer logins;
    private final Assets assets;
    private final Supplier<String> database;
    private final @Nullable String label;
    private final Supplier<Map<String, URI>> others;
    private final String version;
    private final AccessSettings access;
    private final Audit audit;
    private final String base;
    private final @Nullable String provider;

    PageServer(
            Routes<PageController> pages,
            Routes<PageAction> actions,
            Renderer renderer,
            RequestGuard guard,
            Secret secret,
            LoginServer logins,
            Assets assets,
            Supplier<String> database,
            @Nullable String label,
            Supplier<Map<String, URI>> others,
            String version,
            AccessSettings access,
            Audit audit,
            @Nullable String provider) {
        this.pages = pages;
        this.actions = actions;
        this.renderer = renderer;
        this.guard = guard;
        this.secret = secret;
        this.logins = logins;
        this.assets = assets;
        this.database = database;
        this.label = label;
        this.others = others;
        this.version = version;
        this.access = access;
        this.audit = audit;
        this.base = access.base();
        this.provider = provider;
    }

    /**
     * What a form without a script is asked first.
     *
     * @param proof what has to be typed; empty: nothing
     */
    public record Question(String question, String proof, Map<String, List<String>> form, String back) {}

    /**
     * A sentence instead of a page.
     *
     * @param back the page from which a form was sent; null: none was
     */
    public record Message(String sentence, @Nullable String back) {}

    /** A page whose address was found, and its request. */
    record Found(PageRequest request, Page page) {}

    /** What names the run of this console. */
    String run() {
        return secret.sign("run", "");
    }

    /** Finds the page of an address. */
    Found find(String path, Map<String, List<String>> query, Role role) {
        return find(path, query, role, false);
    }

    /** @param isPosted whether it was sent as a form of ours */
    private Found find(String path, Map<String, List<String>> query, Role role, boolean isPosted) {
        Routes.Match<PageController> match =
                pages.find(path).orElseThrow(() -> new NotFoundException("There is no page " + path + "."));
        Role needed = match.role();
        if (!role.covers(needed)) throw new RefusedException(403, "This page needs the role " + needed.text() + ".");
        // Addresses are kept in logs and histories, and a link on a page of another origin must not have SQL run.
        if (!isPosted && query.containsKey(CHECK))
            throw new BadRequestException("This form is checked by its button only, not by an address.");
        PageRequest request = new PageRequest(path, match.names(), query);
        checkSearch(match.target(), request, role);
        return new Found(request, match.target().page(request));
    }

    private void checkSearch(PageController page, PageRequest request, Role role) {
        if (role.covers(Role.OPERATOR) || access.unmasked().contains(role)) return;
        for (String each : page.searches())
            if (request.text(each) != null)
                throw new RefusedException(403, "Searching in texts needs the role operator.");
    }

    View view(PageRequest request, String session, Role role) {
        return new View(base, guard.csrf(session), request, role, mask(role), path -> mayChange(path, role));
    }

    private View view(PageRequest request, Context context) {
        return view(request, logins.session(context), Caller.of(context).role());
    }

    private UnaryOperator<String> mask(Role role) {
        return access.unmasked().contains(role)
                ? UnaryOperator.identity()
                : text -> access.masker().text(text);
    }

    private boolean mayChange(String path, Role role) {
        return actions.find(path).map(found -> role.covers(found.role())).orElse(false);
    }

    void get(Context context) {
        show(
                context,
                find(
                        context.req().getRequestURI(),
                        context.queryParamMap(),
                        Caller.of(context).role()));
    }

    private void show(Context context, Found found) {
        View view = view(found.request(), context);
        List<Layout.PartHtml> parts = new ArrayList<>();
        List<Renderer.Problem> unreachable = new ArrayList<>();
        for (Part part : found.page().parts()) {
            String html = renderer.part(view, part, problem -> {
                if (problem.isUnreachable()) unreachable.add(problem);
            });
            parts.add(new Layout.PartHtml(part.name(), html));
        }
        // For programs that look whether the console works; people read the sentences.
        if (!parts.isEmpty() && unreachable.size() == parts.size()) context.status(503);
        send(
                context,
                view,
                found.page().title(),
                found.page().section(),
                parts,
                found.page().isLive());
    }

    void post(Context context) {
        String path = context.req().getRequestURI();
        Routes.Match<PageAction> match = actions.find(path)
                .orElseThrow(() -> new NotFoundException("There is nothing to change at " + path + "."));
        PageRequest page = new PageRequest(path, match.names(), context.queryParamMap());
        Map<String, List<String>> form = new LinkedHashMap<>(context.formParamMap());
        if (form.containsKey(CHECK)) {
            form.remove("csrf");
            check(context, new ActionRequest(page, form));
            return;
        }
        ActionRequest request = new ActionRequest(page, form);
        PageAction action = match.target();
        Caller caller = Caller.of(context);
        Role needed = action.needed(request, match.role());
        if (!caller.role().covers(needed)) {
            audit.refused(caller, request, action.operation(), needed);
            caller.require(needed);
        }
        String question = action.question(request);
        boolean confirmed = request.field("confirmed") != null;
        String proof = question.isEmpty() ? "" : action.proof(request);
        if (!question.isEmpty() && (!confirmed || !isProved(proof, request.field("typed")))) {
            form.keySet().removeAll(List.of("csrf", "confirmed", "typed"));
            View view = view(page, context);
            Part part = new Part("question", "question.jte", () -> new Question(question, proof, form, back(context)));
            send(
                    context,
                    view,
                    "Are you sure?",
                    null,
                    List.of(new Layout.PartHtml("question", renderer.part(view, part))),
                    false);
            return;
        }
        String next;
        String said;
        Undo undo = null;
        try {
            ActionResult result = run(action, request, caller);
            Page shown = result.page();
            if (shown != null) {
                show(context, new Found(page, shown));
                return;
            }
            next = result.next();
            said = result.sentence();
            undo = result.undo();
        } catch (BadRequestException | NotFoundException e) {
            throw e;
        } catch (RuntimeException e) {
            next = back(context);
            said = "Nothing was changed. " + Renderer.problem(e).sentence();
        }
        say(context, new Said(said, undo));
        context.redirect(base + next, HttpStatus.SEE_OTHER);
    }

    /** Whether that was typed; a number may have changed a little since it was shown, and have commas. */
    private static boolean isProved(String proof, @Nullable String typed) {
        if (proof.isEmpty()) return true;
        if (typed == null) return false;
        String plain = typed.strip().replaceAll("(?<=\\d)[,.' ](?=\\d)", "");
        if (!proof.matches("\\d{1,18}") || !plain.matches("\\d{1,18}")) return plain.equalsIgnoreCase(proof);
        double wanted = Long.parseLong(proof);
        return Math.abs(Long.parseLong(plain) - wanted) <= wanted / 10;
    }

    /** Shows the page of a form again, with what is wrong with it. */
    private void check(Context context, ActionRequest request) {
        String path = request.page().path();
        Caller caller = Caller.of(context);
        Found found = find(path, request.form(), caller.role(), true);
        boolean runsSql =
                pages.find(path).map(match -> match.target().checkRunsSql()).orElse(false);
        Audit.Change change = runsSql ? audit.begin(caller, request, null) : null;
        show(context, found);
        if (change != null) change.done("Only checked.");
    }

    /** Does it between its two rows of the audit table. */
    private ActionResult run(PageAction action, ActionRequest request, Caller caller) {
        Audit.Change change = audit.begin(caller, request, action.operation());
        try {
            ActionResult result = ActorSource.as(caller.name(), () -> action.run(request));
            CompletionStage<ActionResult.End> ending = result.ending();
            if (ending == null) change.done(result.sentence());
            else ending.thenAccept(change::over);
            return result;
        } catch (BadRequestException | NotFoundException e) {
            change.failed(String.valueOf(e.getMessage()));
            throw e;
        } catch (RuntimeException e) {
            change.failed(Renderer.problem(e).sentence());
            throw e;
        }
    }

    /** The page that a form was on, if it was one of ours. */
    private String back(Context context) {
        String referer = context.header("Referer");
        String origin = context.header("Origin");
        if (referer != null && origin != null && referer.startsWith(origin + "/"))
            return own(referer.substring(origin.length()));
        return "/";
    }

    /** An address without the path before all others. */
    private String own(String address) {
        return !base.isEmpty() && address.startsWith(base + "/") ? address.substring(base.length()) : address;
    }

    private void say(Context context, Said said) {
        String coded = said.coded();
        Cookie cookie = new Cookie(SAID, coded + "." + secret.sign("said", coded));
        cookie.setHttpOnly(true);
        cookie.setSameSite(SameSite.STRICT);
        cookie.setMaxAge(20);
        cookie.setPath(base.isEmpty() ? "/" : base);
        context.cookie(cookie);
    }

    private @Nullable Said said(Context context) {
        String cookie = context.cookie(SAID);
        if (cookie == null) return null;
        context.removeCookie(SAID, base.isEmpty() ? "/" : base);
        int dot = cookie.indexOf('.');
        if (dot < 0) return null;
        String coded = cookie.substring(0, dot);
        return Secret.same(secret.sign("said", coded), cookie.substring(dot + 1)) ? Said.of(coded) : null;
    }

    /** The page for logins, with the reason why it is shown. */
    void login(Context context, RefusedException refused) {
        String query = context.queryString();
        String path = context.req().getRequestURI();
        String again = context.method() == HandlerType.POST ? context.formParam("next") : null;
        boolean isPage = context.method() == HandlerType.GET && !path.startsWith("/login");
        context.status(refused.status())
                .contentType("text/html; charset=utf-8")
                .result(renderer.login(new LoginPage(
                                base,
                                refused.getMessage(),
                                isPage ? path + (query == null ? "" : "?" + query) : again == null ? "/" : again,
                                provider,
                                assets.path("console.css"),
                                assets.path("icon.svg")))
                        .getBytes(StandardCharsets.UTF_8));
    }

    /** A page with a sentence, of that status. */
    void message(Context context, int status, String sentence) {
        PageRequest request = new PageRequest("/", Map.of(), Map.of());
        View view = view(request, context);
        String back = context.method() == HandlerType.POST ? back(context) : null;
        Part part = new Part("message", "message.jte", () -> new Message(sentence, back));
        context.status(status);
        String title = switch (status) {
            case 400 -> context.method() == HandlerType.POST ? "That was not done" : "That address cannot be";
            case 404 -> "Not found";
            case 503 -> "Not now";
            default -> "Refused";
        };
        send(context, view, title, null, List.of(new Layout.PartHtml("message", renderer.part(view, part))), false);
    }

    /** Where the same section is in consoles of other databases. */
    private Map<String, String> others(@Nullable Section section) {
        Map<String, String> links = new LinkedHashMap<>();
        others.get()
                .forEach((name, address) -> links.put(
                        name, address.toString().replaceAll("/+$", "") + (section == null ? "/" : section.path())));
        return links;
    }

    private void send(
            Context context,
            View view,
            String title,
            @Nullable Section section,
            List<Layout.PartHtml> parts,
            boolean live) {
        String html = renderer.page(new Layout(
                view,
                title,
                section,
                parts,
                database.get(),
                label,
                others(section),
                said(context),
                Caller.of(context).name(),
                logins.isNeeded(),
                live,
                run(),
                assets.path("console.css"),
                assets.path("console.js"),
                assets.path("icon.svg"),
                version));
        context.contentType("text/html; charset=utf-8").result(html.getBytes(StandardCharsets.UTF_8));
    }

    /** The parameters of a query as it stands in an address. */
    static Map<String, List<String>> query(@Nullable String text) {
        Map<String, List<String>> query = new LinkedHashMap<>();
        if (text == null || text.isEmpty()) return query;
        for (String pair : text.split("&", -1)) {
            int sign = pair.indexOf('=');
            String name = decoded(sign < 0 ? pair : pair.substring(0, sign));
            String value = sign < 0 ? "" : decoded(pair.substring(sign + 1));
            query.computeIfAbsent(name, key -> new ArrayList<>()).add(value);
        }
        return query;
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new BadRequestException("an address has % before two hexadecimal digits only, not \"" + text + "\"");
        }
    }
}
