package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
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

    /** What Maven Central refuses a POM without. The BOM has no parent; the others inherit from the root. */
    @Test
    void poms_haveWhatMavenCentralDemands() throws Exception {
        Document root = pom("");
        for (Document each : List.of(root, pom("packaging/bom")))
            for (String path : List.of(
                    "url",
                    "licenses/license/name",
                    "licenses/license/url",
                    "developers/developer/name",
                    "scm/url",
                    "scm/connection",
                    "scm/developerConnection"))
                assertThat(texts(each, "/project/" + path))
                        .as("%s of %s", path, texts(each, ARTIFACT))
                        .isNotEmpty()
                        .noneMatch(String::isBlank);
        for (String module : texts(root, "/project/modules/module")) {
            Document each = pom(module);
            if (!isPublished(each)) continue;
            assertThat(texts(each, "/project/name")).as(module).hasSize(1);
            assertThat(texts(each, "/project/description")).as(module).hasSize(1);
            assertThat(texts(each, "/project/dependencies/dependency[not(scope = 'test')]/version"))
                    .as("versions outside of the management of %s", module)
                    .noneMatch(version -> version.contains("SNAPSHOT"));
        }
    }

    /** {@code ./release} looks into the jars themselves; this finds a module whose resources leave the files out. */
    @Test
    void modules_takeLicenceAndNoticeAlong() throws Exception {
        List<String> found = new ArrayList<>();
        for (String place : System.getProperty("java.class.path").split(File.pathSeparator)) {
            Path path = Path.of(place);
            boolean ours = path.startsWith(Documents.ROOT) && path.endsWith("target/classes");
            if (!ours) continue;
            for (String file : List.of("LICENSE", "NOTICE"))
                assertThat(path.resolve("META-INF").resolve(file))
                        .hasSameTextualContentAs(Documents.ROOT.resolve(file));
            found.add(Documents.ROOT.relativize(path).toString());
        }
        assertThat(found).contains("daemon/target/classes");
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
