package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;

/** What is published, as the POMs of the modules say it. */
class ArtifactsTest {
    private static final String ARTIFACT = "/project/artifactId";

    private static Document pom(String module) throws Exception {
        Path file = Documents.ROOT.resolve(module).resolve("pom.xml");
        return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file.toFile());
    }

    private static List<String> texts(Document pom, String path) throws Exception {
        NodeList found = (NodeList)
                XPathFactory.newInstance().newXPath().evaluate(path + "/text()", pom, XPathConstants.NODESET);
        return IntStream.range(0, found.getLength())
                .mapToObj(i -> found.item(i).getNodeValue())
                .toList();
    }

    private static boolean isPublished(Document pom) throws Exception {
        String description = texts(pom, "/project/description").get(0);
        return !description.endsWith("Not published.") && !description.endsWith("Nothing to publish.");
    }

    @Test
    void bom_namesEveryPublishedArtifact_andNoOther() throws Exception {
        Document bom = pom("packaging/bom");
        Document root = pom("");
        List<String> published = new ArrayList<>();
        for (String each : texts(root, "/project/modules/module")) {
            Document module = pom(each);
            if (isPublished(module)) published.addAll(texts(module, ARTIFACT));
        }
        published.removeAll(texts(bom, ARTIFACT));
        assertThat(texts(bom, "/project/dependencyManagement//artifactId"))
                .containsExactlyInAnyOrderElementsOf(published);
        assertThat(texts(bom, "/project/properties/revision")).isEqualTo(texts(root, "/project/properties/revision"));
    }

    /** Maven would append the name of each artifact to them. */
    @Test
    void addresses_ofTheProject_areTheSameInAllPoms() throws Exception {
        Document root = pom("");
        for (String each : List.of(
                "/project/@child.project.url.inherit.append.path",
                "/project/scm/@child.scm.url.inherit.append.path",
                "/project/scm/@child.scm.connection.inherit.append.path",
                "/project/scm/@child.scm.developerConnection.inherit.append.path"))
            assertThat(XPathFactory.newInstance().newXPath().evaluate(each, root))
                    .as(each)
                    .isEqualTo("false");
        String addresses = "/project/url | /project/scm/url";
        for (String each : texts(root, "/project/modules/module"))
            assertThat(texts(pom(each), addresses)).as(each).isSubsetOf(texts(root, addresses));
    }

    @Test
    void module_thatIsNotPublished_isNotDeployed() throws Exception {
        for (String each : texts(pom(""), "/project/modules/module")) {
            Document module = pom(each);
            assertThat(texts(module, "/project/properties/maven.deploy.skip"))
                    .as(each)
                    .isEqualTo(isPublished(module) ? List.of() : List.of("true"));
        }
    }
}
