package dev.howdah;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.howdah.internal.conninfo.HostDeadlines;
import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.Date;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which parts of the engine may know which. */
class ArchitectureTest {
    private static final List<String> FEATURES = List.of("task", "job", "process", "sweep");
    private static final JavaClasses ENGINE = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .withImportOption(location -> !location.isJar())
            .importPackagesOf(Database.class)
            .that(com.tngtech.archunit.base.DescribedPredicate.describe(
                    "of the engine",
                    each -> !each.getPackageName().matches("dev\\.howdah\\.(embedded|fixtures)(\\..*)?")));

    private static String[] packages(List<String> features) {
        return features.stream().map(feature -> "dev.howdah." + feature + "..").toArray(String[]::new);
    }

    @Test
    void engine_classes_areSeenByThisTest() {
        assertThat(ENGINE.contain("dev.howdah.task.TaskScheduler")).isTrue();
        assertThat(ENGINE.contain("dev.howdah.internal.wire.WireConnection")).isTrue();
        assertThat(ENGINE.contain("dev.howdah.ArchitectureTest")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"task", "job", "process", "sweep"})
    void features_neverSeeEachOther(String feature) {
        List<String> others =
                FEATURES.stream().filter(each -> !each.equals(feature)).toList();
        noClasses()
                .that()
                .resideInAPackage("dev.howdah." + feature + "..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(packages(others))
                .allowEmptyShould(true)
                .check(ENGINE);
    }

    @Test
    void internals_neverDependOnAFeature() {
        noClasses()
                .that()
                .resideInAPackage("dev.howdah.internal..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(packages(FEATURES))
                .check(ENGINE);
    }

    @Test
    void engine_usesNothingButItsFewLibraries() {
        classes()
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "java..",
                        "jdk.net",
                        "javax..",
                        "org.slf4j..",
                        "org.jspecify..",
                        "org.postgresql..",
                        "com.ongres..",
                        "io.opentelemetry..",
                        "com.fasterxml.jackson..",
                        "dev.howdah",
                        "dev.howdah.health..",
                        "dev.howdah.internal..",
                        "dev.howdah.spi..",
                        "dev.howdah.task..",
                        "dev.howdah.job..",
                        "dev.howdah.process..",
                        "dev.howdah.sweep..")
                .check(ENGINE);
    }

    @Test
    void openTelemetry_isKnownToTwoClassesThatAreOnlyLoadedWhereItIs() {
        noClasses()
                .that()
                .haveNameNotMatching(".*\\.OpenTelemetry(Tracing|Source)(\\$.*)?")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.opentelemetry..")
                .check(ENGINE);
    }

    /**
     * All time is the database's: no decision may depend on the clock of the machine where the engine runs. Signatures of requests say
     * when they were made, which is no decision.
     */
    @Test
    void engine_neverAsksTheMachineForTheTime() {
        noClasses()
                .that()
                .doNotHaveFullyQualifiedName("dev.howdah.internal.http.SenderClock")
                .should()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethod(Instant.class, "now")
                .orShould()
                .callMethod(LocalDate.class, "now")
                .orShould()
                .callMethod(LocalDateTime.class, "now")
                .orShould()
                .callMethod(OffsetDateTime.class, "now")
                .orShould()
                .callMethod(ZonedDateTime.class, "now")
                .orShould()
                .callConstructor(Date.class)
                .orShould()
                .dependOnClassesThat()
                .areAssignableTo(Clock.class)
                .orShould()
                .dependOnClassesThat()
                .areAssignableTo(InstantSource.class)
                .check(ENGINE);
    }

    /** One class borrows connections: it sets what Howdah needs and gives back what it found. */
    @Test
    void connectionsOfAUsersDataSource_areBorrowedInOnePlace() {
        noClasses()
                .that()
                .doNotHaveFullyQualifiedName("dev.howdah.internal.connection.ConnectionSource")
                .and()
                // It connects for ConnectionSource alone.
                .doNotHaveFullyQualifiedName("dev.howdah.internal.conninfo.HostDeadlines")
                .should()
                .callMethod(DataSource.class, "getConnection")
                .check(ENGINE);
        noClasses()
                .that()
                .doNotHaveFullyQualifiedName("dev.howdah.internal.connection.ConnectionSource")
                .should()
                .callMethod(HostDeadlines.class, "connect", DataSource.class)
                .check(ENGINE);
    }
}
