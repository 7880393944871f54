package dev.howdah;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.howdah.fixtures.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Public types and members of the library, each with a line in a file: what is added has to be decided. {@code mvn -q test -pl engine
 * -Dtest=PublicApiTest -Dhowdah.write=true} writes the file.
 */
class PublicApiTest {
    private static final Path LIST = SourceTree.ROOT.resolve("engine/src/test/resources/dev/howdah/public-api.txt");
    private static final Pattern EXPORTED = Pattern.compile("(?m)^\\s*exports ([\\w.]+);");

    private static Set<String> exported() throws IOException {
        Set<String> exported = new HashSet<>();
        Matcher each =
                EXPORTED.matcher(Files.readString(SourceTree.ROOT.resolve("engine/src/main/java/module-info.java")));
        while (each.find()) exported.add(each.group(1));
        return exported;
    }

    @Test
    void publicTypesAndMembers_areThoseOfTheList() throws IOException {
        Set<String> exported = exported();
        JavaClasses classes = new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .withImportOption(location -> !location.isJar())
                .importPackagesOf(Database.class);
        Set<String> found = new TreeSet<>();
        for (JavaClass each : classes) {
            if (!exported.contains(each.getPackageName()) || !isSeen(each)) continue;
            String type = name(each);
            found.add(type);
            for (JavaMember member : each.getMembers()) if (isSeen(member)) found.add(type + "#" + text(member));
        }
        assertThat(found).contains("job.Jobs", "job.Jobs#close()").hasSizeGreaterThan(500);
        if (Boolean.getBoolean("howdah.write")) Files.write(LIST, found);
        assertThat(found).isEqualTo(new TreeSet<>(Files.readAllLines(LIST)));
    }

    private static boolean isSeen(JavaClass type) {
        boolean seen = type.getModifiers().contains(JavaModifier.PUBLIC) && !type.isAnonymousClass();
        return seen && type.getEnclosingClass().map(PublicApiTest::isSeen).orElse(true);
    }

    private static boolean isSeen(JavaMember member) {
        boolean made = member.getModifiers().contains(JavaModifier.SYNTHETIC)
                || member.getModifiers().contains(JavaModifier.BRIDGE)
                || member.getName().startsWith("lambda$");
        boolean inherited = Set.of("toString", "hashCode", "equals", "<clinit>").contains(member.getName());
        boolean open = member.getModifiers().contains(JavaModifier.PUBLIC)
                || member.getModifiers().contains(JavaModifier.PROTECTED);
        return open && !made && !inherited;
    }

    private static String text(JavaMember member) {
        return member.getFullName()
                .substring(member.getOwner().getFullName().length() + 1)
                .replace("<init>", "new")
                .replaceAll("\\b[a-z]\\w*\\.(?:\\w+\\.)*(?=[A-Z])", "");
    }

    private static String name(JavaClass type) {
        return type.getFullName().replaceFirst("^dev\\.howdah\\.", "").replace('$', '.');
    }
}
