package dev.howdah;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** How the .sql files of all modules are written. */
class SqlFilesTest {
    private static final Path ROOT = SourceTree.ROOT;
    private static final int WIDTH = 100;
    /** What a statement is about: a table or a part of one, an object of the server, or a session. */
    private static final Set<String> SUBJECTS = Set.of("""
            accept after audit batch bell bind body cancellation change check child client column command connection database day
            delegated document done failed function guard hash health history holiday index job key kind lane limit lock log login
            migration namespace node oid order outbox owner parent pause payload process queue request retention row schedule schema
            sequence served server session settings signal stamp stat state step sweep table tag task template test timer token trace
            transaction trigger view wait wake workflow
            """.trim().split("\\s+"));

    /** A block of text or a joined literal that begins as a statement does. */
    private static final Pattern LONGER = Pattern.compile(
            "(\"\"\"\\s*\\n\\s*|\")((?:SELECT|INSERT INTO|UPDATE|DELETE FROM|WITH|CREATE|ALTER) [^\"\\n]*)"
                    + "(?:\\n|\"\\s*\\n\\s*\\+ \")");

    private static List<Path> files() {
        List<Path> files = SourceTree.modules().stream()
                .flatMap(each -> SourceTree.files(each.resolve("src/main/resources"), ".sql").stream())
                .toList();
        assertThat(files).hasSizeGreaterThan(30);
        return files;
    }

    @Test
    void lines_haveAtMost100Columns() throws IOException {
        List<String> wide = new ArrayList<>();
        for (Path file : files()) {
            List<String> lines = Files.readAllLines(file);
            for (int i = 0; i < lines.size(); i++)
                if (lines.get(i).length() > WIDTH)
                    wide.add(ROOT.relativize(file) + ":" + (i + 1) + " has "
                            + lines.get(i).length() + " columns");
        }
        assertThat(wide).isEmpty();
    }

    @Test // what else stands there cannot be made in a database of LATIN1; an example is for databases of UTF8
    void text_isAscii() throws IOException {
        List<String> others = new ArrayList<>();
        for (Path file : files()) {
            if (ROOT.relativize(file).startsWith("examples")) continue;
            List<String> lines = Files.readAllLines(file);
            for (int i = 0; i < lines.size(); i++)
                if (!lines.get(i).chars().allMatch(c -> c < 128))
                    others.add(ROOT.relativize(file) + ":" + (i + 1) + " " + lines.get(i));
        }
        assertThat(others).isEmpty();
    }

    @Test // subject_verb: a name in the code leads to one statement
    void names_areUniqueAndHaveASubject() throws IOException {
        Map<String, Path> known = new HashMap<>();
        List<String> wrong = new ArrayList<>();
        for (Path file : files()) {
            if (ROOT.relativize(file).startsWith("benchmarks")) continue;
            for (String line : Files.readAllLines(file)) {
                if (!line.startsWith("-- name:")) continue;
                String name = line.substring("-- name:".length())
                        .replaceFirst("\\(.*", "")
                        .strip();
                if (!name.matches("[a-z][a-z0-9]*(_[a-z0-9]+)+") || !SUBJECTS.contains(name.split("_")[0]))
                    wrong.add(name + " in " + ROOT.relativize(file));
                Path other = known.put(name, ROOT.relativize(file));
                if (other != null) wrong.add(name + " in " + ROOT.relativize(file) + " and in " + other);
            }
        }
        assertThat(known).hasSizeGreaterThan(400);
        assertThat(wrong).isEmpty();
    }

    @Test // longer statements are in files, where their clauses have lines and their parameters names
    void sql_inJava_isNoLongerThanALine() throws IOException {
        List<String> longer = new ArrayList<>();
        for (Path file : SourceTree.mainSources()) {
            Matcher text = LONGER.matcher(Files.readString(file));
            while (text.find()) longer.add(ROOT.relativize(file) + ": " + text.group(2));
        }
        assertThat(LONGER.matcher("\"SELECT a \"\n + \"FROM b\"").find()).isTrue();
        assertThat(LONGER.matcher("\"SELECT a\", a\n + \"from\"").find()).isFalse();
        assertThat(longer).isEmpty();
    }
}
