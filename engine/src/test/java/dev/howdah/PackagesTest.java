package dev.howdah;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The packages of the engine: what is in them, and in which direction they depend on each other. */
class PackagesTest {
    private static final JavaClasses ENGINE = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .withImportOption(location -> !location.isJar())
            .importPackagesOf(Database.class)
            .that(com.tngtech.archunit.base.DescribedPredicate.describe(
                    "of the engine",
                    each -> !each.getPackageName().matches("dev\\.howdah\\.(embedded|fixtures)(\\..*)?")));

    /** The parts of each feature; each may depend on those that follow it, and on no other. */
    private static final Map<String, List<String>> PARTS = Map.of(
            "job",
                    List.of(
                            "query",
                            "node",
                            "claim",
                            "worker",
                            "maintain",
                            "schedule",
                            "history",
                            "execute",
                            "wait",
                            "handler",
                            "workflow",
                            "insert",
                            "await",
                            "batch",
                            "attempt",
                            "lane",
                            "log",
                            "store"),
            "process", List.of("client", "node", "worker", "request", "outbox", "step", "store"),
            "sweep", List.of("run", "work", "read", "statements", "control", "store"),
            "task",
                    List.of(
                            "scheduler",
                            "dispatch",
                            "queue",
                            "session",
                            "reach",
                            "table",
                            "owner",
                            "leader",
                            "output",
                            "model",
                            "quota",
                            "store"));

    private static boolean isInternal(JavaClass type) {
        return type.getPackageName().contains(".internal");
    }

    private static Stream<JavaClass> topLevel() {
        return ENGINE.stream()
                .filter(each -> each.isTopLevelClass() && !each.getSimpleName().equals("package-info"));
    }

    @Test
    void internalPackages_formNoCycle() {
        slices().assignedFrom(new SliceAssignment() {
                    @Override
                    public SliceIdentifier getIdentifierOf(JavaClass type) {
                        return isInternal(type) ? SliceIdentifier.of(type.getPackageName()) : SliceIdentifier.ignore();
                    }

                    @Override
                    public String getDescription() {
                        return "internal packages";
                    }
                })
                .should()
                .beFreeOfCycles()
                .check(ENGINE);
    }

    static Stream<Arguments> parts() {
        return PARTS.entrySet().stream()
                .flatMap(feature -> feature.getValue().stream().map(part -> Arguments.of(feature.getKey(), part)));
    }

    @ParameterizedTest
    @MethodSource("parts")
    void part_dependsOnPartsBelowItOnly(String feature, String part) {
        List<String> all = PARTS.getOrDefault(feature, List.of());
        String internal = "dev.howdah." + feature + ".internal.";
        String[] above = all.subList(0, all.indexOf(part)).stream()
                .map(each -> internal + each)
                .toArray(String[]::new);
        assertThat(topLevel().map(JavaClass::getPackageName)).contains(internal + part);
        if (above.length > 0)
            noClasses()
                    .that()
                    .resideInAPackage(internal + part)
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(above)
                    .check(ENGINE);
    }

    @Test
    void parts_areAllNamedHere() {
        Set<String> found = topLevel()
                .map(JavaClass::getPackageName)
                .filter(name -> name.matches("dev\\.howdah\\.\\w+\\.internal\\..*"))
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> known = PARTS.entrySet().stream()
                .flatMap(feature ->
                        feature.getValue().stream().map(part -> "dev.howdah." + feature.getKey() + ".internal." + part))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(found).isEqualTo(known);
    }

    @Test
    void internalTypes_areInNoPublicSignature() {
        classes()
                .that()
                .arePublic()
                .and()
                .resideOutsideOfPackage("..internal..")
                .should(new ArchCondition<>("have no internal type in a public signature") {
                    @Override
                    public void check(JavaClass type, ConditionEvents events) {
                        Stream.concat(
                                        Stream.of(type.getRawSuperclass().stream(), type.getRawInterfaces().stream())
                                                .flatMap(supertypes -> supertypes),
                                        type.getMembers().stream()
                                                .filter(PackagesTest::isVisible)
                                                .flatMap(PackagesTest::types))
                                .filter(PackagesTest::isInternal)
                                .forEach(internal -> events.add(SimpleConditionEvent.violated(
                                        type, type.getName() + " shows " + internal.getName())));
                    }
                })
                .check(ENGINE);
    }

    private static boolean isVisible(JavaMember member) {
        return member.getModifiers().contains(JavaModifier.PUBLIC)
                || member.getModifiers().contains(JavaModifier.PROTECTED);
    }

    private static Stream<JavaClass> types(JavaMember member) {
        if (member instanceof JavaField field) return field.getAllInvolvedRawTypes().stream();
        JavaCodeUnit unit = (JavaCodeUnit) member;
        return Stream.concat(
                unit.getReturnType().getAllInvolvedRawTypes().stream(),
                unit.getParameterTypes().stream().flatMap(each -> each.getAllInvolvedRawTypes().stream()));
    }
}
