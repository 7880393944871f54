package dev.howdah.daemon;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.howdah.Database;
import dev.howdah.embedded.EmbeddedPostgres;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Sizes of packages and names of classes in all modules; the directions of packages of the daemon and of the embedded PostgreSQL. */
class ProductPackagesTest {
    private static final int MOST_CLASSES = 20;
    private static final int MOST_INTERNAL_CLASSES = 15;

    private static final JavaClasses PRODUCT = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackagesOf(Main.class, Database.class, EmbeddedPostgres.class);
    private static final JavaClasses HERE = PRODUCT.that(com.tngtech.archunit.base.DescribedPredicate.describe(
            "of the daemon or the embedded PostgreSQL",
            each -> each.getPackageName().matches("dev\\.howdah\\.(daemon|embedded)(\\..*)?")));

    private static Stream<JavaClass> topLevel(JavaClasses classes) {
        return classes.stream()
                .filter(each -> each.isTopLevelClass() && !each.getSimpleName().equals("package-info"))
                .filter(each -> !each.getPackageName().startsWith("dev.howdah.fixtures"));
    }

    @Test
    void classes_ofAllModules_areSeenByThisTest() {
        for (String each : List.of(
                "daemon.Main",
                "embedded.EmbeddedPostgres",
                "job.Jobs",
                "internal.sql.SqlFile",
                "testkit.TestJobs",
                "junit.HowdahTest",
                "kafka.KafkaPublisher",
                "operations.Operation",
                "console.Console",
                "reach.TaskReach",
                "micrometer.MicrometerMetrics",
                "spring.JobHandler",
                "spring.test.HowdahSpringTest"))
            assertThat(PRODUCT.contain("dev.howdah." + each)).as(each).isTrue();
        assertThat(PRODUCT.contain(ProductPackagesTest.class.getName())).isFalse();
    }

    @Test
    void packages_formNoCycle() {
        slices().matching("dev.howdah.daemon.(**)").should().beFreeOfCycles().check(HERE);
        slices().matching("dev.howdah.embedded.internal.(*)..")
                .should()
                .beFreeOfCycles()
                .check(HERE);
        for (String each : List.of("console", "reach", "spring"))
            slices().matching("dev.howdah." + each + ".internal.(*)..")
                    .should()
                    .beFreeOfCycles()
                    .check(PRODUCT);
    }

    @Test
    void internals_ofFeaturesAndOfTheEmbeddedServer_areUnknownToTheDaemon() {
        noClasses()
                .that()
                .resideInAPackage("dev.howdah.daemon..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "dev.howdah.task.internal..",
                        "dev.howdah.job.internal..",
                        "dev.howdah.process.internal..",
                        "dev.howdah.sweep.internal..",
                        "dev.howdah.embedded.internal..")
                .check(HERE);
    }

    /** Declarations know no face: what a face needs of them it renders itself. */
    @Test
    void operations_knowTheEngineAlone() {
        classes()
                .that()
                .resideInAPackage("dev.howdah.operations..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "java..",
                        "javax.sql..",
                        "org.jspecify..",
                        "dev.howdah.operations..",
                        "dev.howdah.health..",
                        "dev.howdah.job..",
                        "dev.howdah.process..",
                        "dev.howdah.sweep..",
                        "dev.howdah.task..",
                        "dev.howdah.internal.connection..",
                        "dev.howdah.internal.error..",
                        "dev.howdah.internal.json..",
                        "dev.howdah.internal.sql..",
                        "dev.howdah.internal.text..",
                        "dev.howdah.spi..")
                .check(PRODUCT);
        noClasses()
                .that()
                .resideInAPackage("dev.howdah.operations..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "dev.howdah.task.internal..",
                        "dev.howdah.job.internal..",
                        "dev.howdah.process.internal..",
                        "dev.howdah.sweep.internal..")
                .check(PRODUCT);
    }

    @Test
    void modulesForTests_formNoCycleAndHideTheirInternals() {
        for (String each : List.of("testkit", "junit"))
            slices().matching("dev.howdah." + each + ".internal.(*)..")
                    .should()
                    .beFreeOfCycles()
                    .check(PRODUCT);
        noClasses()
                .that()
                .resideInAnyPackage(
                        "dev.howdah.testkit..",
                        "dev.howdah.junit..",
                        "dev.howdah.kafka..",
                        "dev.howdah.console..",
                        "dev.howdah.reach..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "dev.howdah.task.internal..",
                        "dev.howdah.job.internal..",
                        "dev.howdah.process.internal..",
                        "dev.howdah.sweep.internal..",
                        "dev.howdah.embedded.internal..",
                        "dev.howdah.daemon..")
                .check(PRODUCT);
        noClasses()
                .that()
                .resideInAnyPackage("dev.howdah.junit..", "dev.howdah.kafka..", "dev.howdah.daemon..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.howdah.testkit.internal..")
                .check(PRODUCT);
    }

    @Test
    void publicTypes_ofModulesForTests_showNoInternalOne() {
        List<String> shown = PRODUCT.stream()
                .filter(each -> each.getPackageName().matches("dev\\.howdah\\.(testkit|junit|kafka)"))
                .filter(each -> each.getModifiers().contains(JavaModifier.PUBLIC))
                .flatMap(each -> each.getMethods().stream())
                .filter(each -> each.getModifiers().contains(JavaModifier.PUBLIC))
                .filter(each -> Stream.concat(
                                each.getReturnType().getAllInvolvedRawTypes().stream(),
                                each.getRawParameterTypes().stream())
                        .anyMatch(type -> type.getPackageName().startsWith("dev.howdah.")
                                && type.getPackageName().contains(".internal")))
                .map(each -> each.getFullName())
                .toList();
        assertThat(shown).isEmpty();
    }

    @Test
    void simpleNames_occurOnceInAllModules() {
        Map<String, List<String>> byName = topLevel(PRODUCT)
                .collect(Collectors.groupingBy(
                        JavaClass::getSimpleName,
                        TreeMap::new,
                        Collectors.mapping(JavaClass::getName, Collectors.toList())));
        byName.values().removeIf(names -> names.size() == 1);
        assertThat(byName).isEmpty();
    }

    @Test
    void packages_ofAllModules_areSmallEnoughToRead() {
        Map<String, Long> sizes = topLevel(PRODUCT)
                .collect(Collectors.groupingBy(JavaClass::getPackageName, TreeMap::new, Collectors.counting()));
        sizes.entrySet()
                .removeIf(each -> each.getValue()
                        <= (each.getKey().contains(".internal") ? MOST_INTERNAL_CLASSES : MOST_CLASSES));
        assertThat(sizes).as("packages with too many classes").isEmpty();
    }
}
