package dev.howdah.operations.change;

import dev.howdah.operations.ChangeOutcome;
import dev.howdah.operations.Operation;
import dev.howdah.operations.Parameter;
import dev.howdah.operations.Role;
import dev.howdah.operations.Subject;
import dev.howdah.operations.Values;
import dev.howdah.operations.value.TextValue;
import java.util.List;

/** The operations on tokens, without the one that adds a token and shows it. */
public final class TokenOperations {
    private static final Parameter<String> NAME = Parameter.of("name", new TextValue(100), "The name of the token.");

    private static final Subject TOKEN = new Subject(
                    "token", "tokens", List.of(NAME), "/tokens/{name}", "token", (engine, key) -> null)
            .listedOn("/tokens");

    public static final Operation REVOKE = Operation.of(
                    TOKEN,
                    "revoke",
                    Role.ADMINISTRATOR,
                    "Revoke a token: within five seconds no daemon accepts it any more.")
            .ask(
                    "Revoke {target}? Within five seconds no daemon accepts it, and sessions that were opened with it end.")
            .say("{target} is revoked.", "")
            .removes()
            .does(call -> call.engine().tokens().revoke(call.key(NAME))
                    ? ChangeOutcome.done()
                    : ChangeOutcome.missing("There is no {target} that is accepted."));

    /** All of them. */
    public static final List<Operation> ALL = List.of(REVOKE);

    private TokenOperations() {}

    /** The key of a token. */
    public static Values key(String name) {
        return Values.NONE.with(NAME, name);
    }
}
