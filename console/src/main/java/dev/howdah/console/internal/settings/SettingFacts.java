package dev.howdah.console.internal.settings;

import dev.howdah.console.internal.access.AccessSettings;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.data.ConsoleData.TableName;
import dev.howdah.console.internal.live.LivePages;
import dev.howdah.operations.Role;
import dev.howdah.operations.read.DatabaseServer;
import dev.howdah.operations.read.EngineReads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Says what the console runs with. No value is a secret: of what can be one, it says only that it is set. */
public final class SettingFacts {
    private final ConsoleData data;
    private final EngineReads queries;
    private final AccessSettings access;
    private final ProgramSettings program;

    SettingFacts(ConsoleData data, AccessSettings access, ProgramSettings program) {
        this.data = data;
        this.queries = new EngineReads(data.source(), data.schema());
        this.access = access;
        this.program = program;
    }

    /** A setting in its group. */
    public record Fact(String name, String value) {}

    /** Settings that belong together. */
    public record Group(String name, List<Fact> facts) {}

    List<Group> groups() {
        List<Group> groups = new ArrayList<>();
        groups.add(program());
        groups.add(database());
        groups.add(reached());
        groups.add(login());
        groups.add(masking());
        groups.add(pages());
        if (!program.given().isEmpty())
            groups.add(new Group(
                    "settings of the program",
                    program.given().entrySet().stream()
                            .map(each -> new Fact(each.getKey(), each.getValue()))
                            .toList()));
        return groups;
    }

    private Group program() {
        List<Fact> facts = new ArrayList<>();
        facts.add(new Fact("Howdah", program.version().isEmpty() ? "unpacked, without a version" : program.version()));
        facts.add(new Fact("Java", String.valueOf(Runtime.version())));
        facts.add(new Fact("label of the environment", program.label() == null ? "none" : program.label()));
        facts.add(new Fact("sweeps can be started here", word(program.isSweepStarter())));
        return new Group("program", facts);
    }

    private Group database() {
        DatabaseServer server = queries.server();
        List<Fact> facts = new ArrayList<>();
        facts.add(new Fact("PostgreSQL", server.version()));
        facts.add(new Fact("database", server.database()));
        facts.add(new Fact("role of the console", server.role()));
        facts.add(new Fact("schema of jobs and processes", data.schema()));
        server.tables()
                .forEach((feature, version) ->
                        facts.add(new Fact("version of the tables of " + feature, String.valueOf(version))));
        facts.add(new Fact(
                "tables of tasks",
                none(data.tables().get().stream().map(TableName::text).toList())));
        return new Group("database", facts);
    }

    private Group reached() {
        return new Group(
                "address",
                List.of(
                        new Fact("listens on", access.host()),
                        new Fact(
                                "further host names",
                                none(access.publicHosts().stream().sorted().toList())),
                        new Fact("base path", access.base().isEmpty() ? "none" : access.base()),
                        new Fact("trusted proxies", none(access.proxies().texts()))));
    }

    private Group login() {
        List<Fact> facts = new ArrayList<>();
        facts.add(new Fact(
                "login",
                access.isLoginNeeded()
                        ? "needed: by a link of howdah console, or by a token"
                                + (program.provider() == null ? "" : ", or by a provider")
                        : "none: users of this machine are administrators; tokens have their roles"));
        if (program.provider() != null) facts.add(new Fact("OpenID provider", String.valueOf(program.provider())));
        facts.add(new Fact("a session ends without use after", "8 h"));
        facts.add(new Fact("a session ends at the latest after", "24 h"));
        return new Group("login", facts);
    }

    private Group masking() {
        List<Fact> facts = new ArrayList<>();
        facts.add(new Fact(
                "masked",
                "values of keys such as password, token and secret, passwords in addresses, tokens of Howdah, private keys,"
                        + " numbers of payment cards"));
        facts.add(new Fact("further keys", none(access.masker().ownKeys())));
        int patterns = access.masker().ownPatterns();
        facts.add(new Fact("further patterns", patterns == 0 ? "none" : patterns + ", not shown here"));
        facts.add(new Fact(
                "seen unmasked by",
                none(access.unmasked().stream().map(Role::text).sorted().toList())));
        facts.add(new Fact("the audit log is kept for", access.auditDays() + " days"));
        return new Group("masking and audit", facts);
    }

    private static Group pages() {
        return new Group(
                "live pages",
                List.of(
                        new Fact("looked for changes while few pages are open, every", text(LivePages.TICK)),
                        new Fact("a page is read again while few pages are open, at most every", text(LivePages.PAGE)),
                        new Fact("statements of all open pages, a second", LivePages.STATEMENTS + " at most"),
                        new Fact("windows with live pages", LivePages.MOST + " at most")));
    }

    private static String text(Duration time) {
        return time.toMillis() < 1_000 ? time.toMillis() + " ms" : time.toSeconds() + " s";
    }

    private static String word(boolean so) {
        return so ? "yes" : "no";
    }

    private static String none(List<String> texts) {
        return texts.isEmpty() ? "none" : String.join(", ", texts);
    }
}
