package dev.howdah.quarkus.deployment;

import dev.howdah.beans.JobHandler;
import dev.howdah.beans.JobSchedule;
import dev.howdah.quarkus.runtime.HowdahBuildConfig;
import io.quarkus.agroal.spi.JdbcDataSourceBuildItem;
import io.quarkus.deployment.IsDevelopment;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.builditem.DevServicesResultBuildItem;
import io.quarkus.deployment.builditem.LaunchModeBuildItem;
import io.quarkus.deployment.pkg.builditem.OutputTargetBuildItem;
import io.quarkus.devui.spi.page.CardPageBuildItem;
import io.quarkus.devui.spi.page.Page;
import io.quarkus.runtime.LaunchMode;
import io.quarkus.runtime.configuration.ConfigUtils;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** What developers have: a PostgreSQL without a container, and a card of the Dev UI. */
class DevProcessor {
    private static final String URL = "quarkus.datasource.jdbc.url";
    private static final String USER = "quarkus.datasource.username";

    @BuildStep
    void postgres(
            LaunchModeBuildItem mode,
            HowdahBuildConfig config,
            List<JdbcDataSourceBuildItem> dataSources,
            OutputTargetBuildItem target,
            BuildProducer<DevServicesResultBuildItem> services) {
        boolean used = dataSources.stream()
                .anyMatch(each -> each.isDefault() && each.getDbKind().equals(HowdahProcessor.POSTGRES));
        if (!used
                || mode.getLaunchMode() == LaunchMode.NORMAL
                || !config.devservices().enabled()
                || ConfigUtils.isPropertyNonEmpty(URL)) return;
        boolean kept = mode.getLaunchMode() == LaunchMode.DEVELOPMENT;
        services.produce(DevServicesResultBuildItem.owned()
                .name("howdah")
                .description("PostgreSQL of howdah-embedded")
                .serviceName("postgres-" + mode.getLaunchMode())
                .startable(
                        () -> new DevPostgres(kept ? target.getOutputDirectory().resolve("howdah-postgres") : null))
                .configProvider(Map.of(URL, DevPostgres::getConnectionInfo, USER, server -> "postgres"))
                .build());
    }

    @BuildStep(onlyIf = IsDevelopment.class)
    CardPageBuildItem card(List<FoundMethodBuildItem> methods) {
        CardPageBuildItem card = new CardPageBuildItem();
        card.addBuildTimeData(
                "handlers", methods.stream().map(DevProcessor::row).toList());
        card.addPage(Page.tableDataPageBuilder("Handlers")
                .icon("font-awesome-solid:gears")
                .showColumn("kind")
                .showColumn("method")
                .showColumn("schedules")
                .buildTimeDataKey("handlers")
                .staticLabel(String.valueOf(methods.size())));
        return card;
    }

    private static Map<String, String> row(FoundMethodBuildItem of) {
        return Map.of(
                "kind", of.method().getAnnotation(JobHandler.class).value(),
                "method",
                        of.method().getDeclaringClass().getSimpleName() + "."
                                + of.method().getName(),
                "schedules",
                        String.join(
                                ", ",
                                Stream.of(of.method().getAnnotationsByType(JobSchedule.class))
                                        .map(each -> each.cron().isEmpty() ? "every " + each.every() : each.cron())
                                        .toList()));
    }
}
