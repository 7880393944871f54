package dev.howdah.benchmarks;

import java.util.List;

/** The scenarios of tasks that reach out. They share a daemon and the servers. */
final class ReachScenarios {
    static final List<String> NAMES = List.of("http", "mail", "ssh", "pdf", "together");

    private ReachScenarios() {}

    static List<Scenario> of(ReachedServers servers) {
        ReachRate http = new ReachRate(
                "http",
                servers,
                5_000,
                "remote, input",
                "'" + servers.http() + "', '{\"i\": ' || i || ', \"a\": \"' || repeat('x', 1000) || '\"}'");
        ReachRate mail = new ReachRate(
                "mail",
                servers,
                2_000,
                "remote, input",
                "'" + servers.mail() + "', jsonb_build_object('to', 'c' || i % 100 || '@example.com', 'from',"
                        + " 'billing@telco.example', 'subject', 'Счёт ' || i, 'text', repeat('Пожалуйста ', 250))");
        ReachRate ssh = new ReachRate(
                "ssh", servers, 2_000, "remote, input", "'" + servers.ssh() + "', 'port Gi0/' || i || ' up'");
        ReachRate pdf = new ReachRate("pdf", servers, 800, "remote, input", "'howdah:pdf', " + ReachTemplates.input());
        return List.of(http, mail, ssh, pdf, new ReachTogether(servers, List.of(http, mail, ssh, pdf)));
    }
}
