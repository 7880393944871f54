package dev.howdah.reach.internal.call;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** The addresses from which tasks may send mails: {@code invoices@telco.example} or {@code *@telco.example}, with {@code =OWNER,OWNER}. Immutable. */
public final class Senders {
    /** @param owners empty for every owner */
    private record Sender(String address, Set<String> owners) {}

    private final List<Sender> all;

    private Senders(List<Sender> all) {
        this.all = List.copyOf(all);
    }

    /**
     * Reads such a list.
     *
     * @throws IllegalArgumentException if something in it is no sender
     */
    public static Senders of(List<String> list) {
        List<Sender> all = new ArrayList<>();
        for (String each : list) {
            int equals = each.indexOf('=');
            String address = (equals < 0 ? each : each.substring(0, equals)).toLowerCase(Locale.ROOT);
            Set<String> owners = equals < 0
                    ? Set.of()
                    : Set.copyOf(Arrays.asList(each.substring(equals + 1).split(",", -1)));
            if (!address.matches("(\\*|[^\\s@*]+)@[a-z0-9.-]+") || owners.contains(""))
                throw new IllegalArgumentException("\"" + each
                        + "\" under \"senders\" has to be NAME@DOMAIN or *@DOMAIN, with =OWNER,OWNER where needed");
            all.add(new Sender(address, owners));
        }
        return new Senders(all);
    }

    /** All of them, in their order. */
    public List<ReachPlaces.Entry> entries() {
        return all.stream()
                .map(each -> new ReachPlaces.Entry(
                        each.address(), each.owners().stream().sorted().toList()))
                .toList();
    }

    /** Returns whether tasks of that owner may send from that address. */
    public boolean has(String owner, String address) {
        String given = address.toLowerCase(Locale.ROOT);
        return all.stream()
                .anyMatch(each -> (each.owners().isEmpty() || each.owners().contains(owner))
                        && (each.address().startsWith("*")
                                ? given.endsWith(each.address().substring(1))
                                : given.equals(each.address())));
    }
}
