package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The examples of all documents, as a newcomer works through them, who makes no new database for each page. */
@Tag("long")
class AllExamplesTest {
    @Test
    void examples_ofAllDocuments_runOneAfterTheOther_onOneServer(@TempDir Path home) throws Exception {
        List<String> documents = inOrderOfTheirList();
        assertThat(documents)
                .containsExactlyInAnyOrderElementsOf(
                        DocumentationTest.documentsWithExamples().toList());
        try (ExampleRunner runner = new ExampleRunner(home)) {
            for (String document : documents) {
                runner.run(document);
                runner.stopLaterPrograms();
            }
        }
    }

    /** The documents with examples, each where the list of all names it first. */
    private static List<String> inOrderOfTheirList() {
        Path list = Documents.ROOT.resolve("docs/README.md");
        return DocumentationTest.LINK
                .matcher(Documents.read(list))
                .results()
                .map(link -> list.resolveSibling(link.group(1).replaceFirst("#.*", ""))
                        .normalize())
                .distinct()
                .filter(DocumentationTest::hasExamples)
                .map(DocumentationTest::name)
                .toList();
    }
}
