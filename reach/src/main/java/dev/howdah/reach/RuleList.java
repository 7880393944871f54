package dev.howdah.reach;

import dev.howdah.reach.ReachRule.Kind;
import dev.howdah.reach.internal.call.Credential;
import dev.howdah.reach.internal.call.ReachPlaces;
import dev.howdah.reach.internal.http.Proxies;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Lists what the settings say. Without state. */
final class RuleList {
    private static final List<String> EVERY = List.of("*");

    private RuleList() {}

    static List<ReachRule> of(ReachSettings settings) {
        List<ReachRule> all = new ArrayList<>();
        add(all, Kind.PLACE, null, settings.places().entries(), null);
        add(all, Kind.PRIVATE, null, settings.privatePlaces().entries(), null);
        for (Credential each : settings.credentials().all())
            add(all, Kind.CREDENTIAL, each.name(), each.places().entries(), detail(each));
        add(all, Kind.SENDER, null, settings.senders().entries(), null);
        settings.dkim().names().forEach((domain, name) -> all.add(named(Kind.DKIM, null, domain, name)));
        settings.programs().texts().forEach((name, text) -> all.add(named(Kind.PROGRAM, name, "exec:" + name, text)));
        settings.databases().texts().forEach((name, text) -> all.add(named(Kind.DATABASE, name, "jdbc:" + name, text)));
        settings.limits().texts().forEach((place, text) -> all.add(named(Kind.LIMIT, null, place, text)));
        for (Proxies.Entry each : settings.proxies().entries())
            add(all, Kind.PROXY, each.name(), each.places().entries(), each.url());
        add(all, Kind.LEGACY, null, settings.legacyPlaces().entries(), null);
        return List.copyOf(all);
    }

    private static String detail(Credential credential) {
        String kind = credential.kind().name().toLowerCase(Locale.ROOT);
        return credential.user() == null ? kind : kind + ", user " + credential.user();
    }

    private static ReachRule named(Kind kind, @Nullable String name, String target, String detail) {
        return new ReachRule(kind, name, target, List.of(), detail);
    }

    private static void add(
            List<ReachRule> all,
            Kind kind,
            @Nullable String name,
            List<ReachPlaces.Entry> entries,
            @Nullable String detail) {
        for (ReachPlaces.Entry each : entries)
            all.add(new ReachRule(kind, name, each.place(), each.owners().isEmpty() ? EVERY : each.owners(), detail));
    }
}
