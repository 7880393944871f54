package dev.howdah.console.internal.view;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CellLabelsTest {
    private static final String HEAD = "<table class=\"rows\"><thead><tr><th scope=\"col\" class=\"right\">Id</th>"
            + "<th scope=\"col\" aria-sort=\"descending\"><a class=\"sort\" href=\"/x\">Due<span aria-hidden=\"true\"> ↓</span></a></th>"
            + "<th scope=\"col\"><span class=\"hidden\">Actions</span></th></tr></thead>";

    @Test
    void cells_haveTheHeadingsOfTheirColumns() {
        assertThat(CellLabels.in("<p>a</p>" + HEAD
                        + "<tbody><tr data-row=\"1\"><td class=\"right\">1</td><td>2</td><td></td></tr>"
                        + "<tr><th scope=\"row\">3</th><td>4</td></tr></tbody></table><p>b</p>"))
                .startsWith("<p>a</p>" + HEAD)
                .endsWith("</table><p>b</p>")
                .contains(
                        "<td data-label=\"Id\" class=\"right\">1</td><td data-label=\"Due\">2</td><td data-label=\"Actions\"></td>",
                        "<th data-label=\"Id\" scope=\"row\">3</th><td data-label=\"Due\">4</td>");
    }

    @Test
    void headings_cannotEndTheAttribute_andOtherTablesStayAsTheyAre() {
        String quoted =
                "<table class=\"rows\"><thead><tr><th scope=\"col\">a \"b\" &lt;</th></tr></thead><tbody><tr><td>1</td></tr></tbody></table>";
        assertThat(CellLabels.in(quoted)).contains("<td data-label=\"a &quot;b&quot; &lt;\">1</td>");
        String other = "<table class=\"log\"><tbody><tr><td>1</td></tr></tbody></table>";
        assertThat(CellLabels.in(other)).isEqualTo(other);
    }

    @Test
    void everyTableOfAPart_isLabelled() {
        String row = "<tbody><tr><td>1</td></tr></tbody></table>";
        assertThat(CellLabels.in(HEAD + row + "<p></p>" + HEAD + row).split("data-label=\"Id\"", -1))
                .hasSize(3);
    }
}
