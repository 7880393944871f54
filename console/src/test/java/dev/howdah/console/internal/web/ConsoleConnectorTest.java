package dev.howdah.console.internal.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.console.internal.access.AccessSettings;
import dev.howdah.console.internal.access.TrustedProxies;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.mask.Masker;
import dev.howdah.spi.Metrics;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.Server;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

class ConsoleConnectorTest {
    /** Jetty logs that when it starts: it does not read as if all the world could reach the console. */
    @Test
    void connector_isCalledByTheAddressOnWhichItListens() {
        AccessSettings access = new AccessSettings(
                "127.0.0.1",
                Set.of("127.0.0.1"),
                Set.of(),
                "",
                new TrustedProxies(List.of()),
                true,
                Masker.standard(),
                Set.of(),
                1,
                Set.of(),
                Set.of());
        ConsoleServer.Settings settings =
                new ConsoleServer.Settings(access, null, () -> "none", null, "", null, null, Map.of(), null, Map::of);
        ConsoleData data = new ConsoleData(new PGSimpleDataSource(), "howdah", List::of, Metrics.none(), name -> false);
        try (ConsolePort port = Objects.requireNonNull(ConsolePort.take(data, settings, 0))) {
            Connector connector = port.connector(new Server(), new HttpConfiguration());
            assertThat(connector.toString()).endsWith("{127.0.0.1:" + port.number() + "}");
        }
    }
}
