package dev.howdah.console.internal.token;

import dev.howdah.console.internal.page.Page;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Part;
import dev.howdah.console.internal.page.Section;
import dev.howdah.operations.Role;
import dev.howdah.operations.store.StoredToken;
import dev.howdah.operations.store.TokenStore;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The tokens of the console and the API: {@code /tokens}. */
public final class TokensPage implements PageController {
    private final TokenStore store;

    TokensPage(TokenStore store) {
        this.store = store;
    }

    /** What the template of the list shows. */
    public record Model(List<StoredToken> tokens) {
        /** Whether a token is accepted, or why it is not. */
        public String state(StoredToken token) {
            return token.state();
        }
    }

    /** What the template of the form shows. */
    public record Form() {
        /** The roles, and what they may do. */
        public Map<String, String> roles() {
            Map<String, String> roles = new LinkedHashMap<>();
            Stream.of(Role.values())
                    .sorted(Comparator.comparing(Role::isProgram))
                    .forEach(each -> roles.put(each.text(), each.text() + ": " + may(each)));
            return roles;
        }

        private static String may(Role role) {
            return switch (role) {
                case VIEWER -> "sees all pages, without secrets";
                case OPERATOR -> "also pauses, limits, retries, cancels and repairs";
                case SUBMITTER -> "also starts processes, and adds jobs by the HTTP API";
                case ADMINISTRATOR -> "also adds, changes and deletes, and manages tokens";
                case WORKER -> "claims jobs by the HTTP API, and nothing else";
                case PRODUCER -> "adds jobs to its queues by the HTTP API, and nothing else";
                case SENDER -> "sends signals to jobs of its queues by the HTTP API, and nothing else";
            };
        }
    }

    @Override
    public Page page(PageRequest request) {
        return new Page(
                "Tokens",
                Section.TOKENS,
                new Part("tokens", "tokens.jte", () -> new Model(store.list())),
                new Part("form", "token-form.jte", Form::new));
    }
}
