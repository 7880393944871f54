package dev.howdah.console.internal.token;

import dev.howdah.console.internal.page.ActionRequest;
import dev.howdah.console.internal.page.ActionResult;
import dev.howdah.console.internal.page.BadRequestException;
import dev.howdah.console.internal.page.Page;
import dev.howdah.console.internal.page.PageAction;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.Part;
import dev.howdah.console.internal.page.Routes;
import dev.howdah.console.internal.page.Section;
import dev.howdah.operations.Role;
import dev.howdah.operations.store.TokenStore;
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
}
