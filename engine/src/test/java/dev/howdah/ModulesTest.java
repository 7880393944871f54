package dev.howdah;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.SourceTree;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** The picture of the modules in CONTRIBUTING.md is that of the POMs. */
class ModulesTest {
    private static final Path PAGE = SourceTree.ROOT.resolve("CONTRIBUTING.md");
    private static final String BEGIN = "<!-- modules -->\n```text\n";
    private static final String END = "```\n<!-- end -->";

    /** A module's artifact, and those that it needs to be compiled and to run. */
    private record Pom(String directory, String artifact, Set<String> needs) {
        static Pom of(Path directory) throws Exception {
            Element project = DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(directory.resolve("pom.xml").toFile())
                    .getDocumentElement();
            Set<String> needs = new TreeSet<>();
            NodeList dependencies = project.getElementsByTagName("dependency");
            for (int i = 0; i < dependencies.getLength(); i++) {
                Element each = (Element) dependencies.item(i);
                boolean test = child(each, "scope").equals("test");
                boolean direct = each.getParentNode().getParentNode() == project;
                if (direct && !test) needs.add(child(each, "artifactId"));
            }
            return new Pom(SourceTree.ROOT.relativize(directory).toString(), child(project, "artifactId"), needs);
        }

        private static String child(Element parent, String name) {
            for (var node = parent.getFirstChild(); node != null; node = node.getNextSibling())
                if (node.getNodeName().equals(name))
                    return node.getTextContent().strip();
            return "";
        }
    }

    @Test
    void modules_standOnFloorsAsInThePicture() throws Exception {
        Map<String, Pom> byArtifact = new TreeMap<>();
        for (Path each : SourceTree.modules()) {
            boolean program = each.startsWith(SourceTree.ROOT.resolve("examples"));
            if (program || Files.notExists(each.resolve("src"))) continue;
            Pom pom = Pom.of(each);
            byArtifact.put(pom.artifact(), pom);
        }
        Map<String, Set<String>> uses = new TreeMap<>();
        byArtifact.values().forEach(pom -> {
            Set<String> used = uses.computeIfAbsent(pom.directory(), key -> new TreeSet<>());
            for (String each : pom.needs()) {
                Pom needed = byArtifact.get(each);
                if (needed != null) used.add(needed.directory());
            }
        });
        assertThat(uses.get("operations")).containsExactly("engine");
        String wanted = BEGIN + Floors.drawn(Floors.of(uses)) + END;
        String page = Files.readString(PAGE);
        if (Boolean.getBoolean("howdah.write")) {
            int begin = page.indexOf(BEGIN);
            int end = page.indexOf(END, begin);
            assertThat(begin).as("the place of the picture").isPositive();
            page = page.substring(0, begin) + wanted + page.substring(end + END.length());
            Files.writeString(PAGE, page);
        }
        assertThat(page).contains(wanted);
    }
}
