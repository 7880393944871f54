package dev.howdah.console.internal.token;

import dev.howdah.console.internal.page.ActionRequest;
import dev.howdah.console.internal.page.ActionResult;
import dev.howdah.console.internal.page.BadRequestException;
import dev.howdah.console.internal.page.NamedAction;
import dev.howdah.console.internal.page.Page;
import dev.howdah.console.internal.page.PageAction;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Part;
import dev.howdah.console.internal.page.Routes;
import dev.howdah.console.internal.page.Section;
import dev.howdah.console.internal.store.TokenStore;
import dev.howdah.operations.Role;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The page and the actions of tokens by their paths. */
public final class TokenPages {
    private TokenPages() {}

    /** What the template shows of a new token: the only time that it can be seen. */
    public record Added(String name, String role, String token) {}

    public static void add(TokenStore store, Routes<PageController> pages, Routes<PageAction> actions) {
        pages.add("/tokens", Role.ADMINISTRATOR, new TokensPage(store));
        PageAction added = request -> added(store, request);
        actions.add("/tokens/add", Role.ADMINISTRATOR, added);
        actions.add("/tokens/{name}/revoke", Role.ADMINISTRATOR, revoke(store));
    }

    private static ActionResult added(TokenStore store, ActionRequest request) {
        NewToken wanted;
        String token;
        try {
            wanted = NewToken.of(
                    request.field("name"),
                    request.field("role"),
                    request.field("expires"),
                    queues(request.field("queues")));
            token = store.add(wanted.name(), wanted.role().text(), wanted.lasts(), null, wanted.queueArray());
        } catch (IllegalArgumentException e) {
            throw new BadRequestException("No token was added: " + e.getMessage() + ".");
        }
        Added shown = new Added(wanted.name(), wanted.role().text(), token);
        Page page =
                new Page("Token " + wanted.name(), Section.TOKENS, new Part("token", "token-added.jte", () -> shown));
        return ActionResult.shown("Token " + wanted.name() + " is added.", page.still());
    }

    private static List<String> queues(@Nullable String text) {
        if (text == null || text.isBlank()) return List.of();
        return Arrays.stream(text.split(",", -1)).map(String::strip).toList();
    }

    private static PageAction revoke(TokenStore store) {
        return new NamedAction(
                "name",
                "Revoke token %s? Within five seconds no daemon accepts it, and sessions that were opened with it end.",
                name -> new ActionResult(
                        store.revoke(name)
                                ? "Token " + name + " is revoked."
                                : "There is no token " + name + " that is accepted.",
                        "/tokens"));
    }

    /** The path of a token. */
    public static String path(String name) {
        return "/tokens/" + PageRequest.encoded(name);
    }
}
