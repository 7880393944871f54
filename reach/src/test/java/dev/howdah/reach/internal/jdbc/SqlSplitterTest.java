package dev.howdah.reach.internal.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Texts of several statements. */
class SqlSplitterTest {
    @Test
    void text_withQuotesAndComments_isSplitOutsideOfThem() {
        assertThat(SqlSplitter.split("a ';' ; b \"x;\"\"y\" -- c;\n, d; /* e; */ ; f $$ g; $$", false))
                .containsExactly("a ';'", "b \"x;\"\"y\" -- c;\n, d", "f $$ g; $$");
    }

    @Test
    void backslash_inAQuote_isAnEscapeWhereTheDatabaseHasThese() {
        assertThat(SqlSplitter.split("a 'it\\'s; b' # c;\n; d", true)).containsExactly("a 'it\\'s; b' # c;", "d");
        assertThat(SqlSplitter.split("a '\\'; b", false)).containsExactly("a '\\'", "b");
    }

    @Test
    void quote_withoutEnd_isTakenAsItIs() {
        assertThat(SqlSplitter.split("a 'b; c", false)).containsExactly("a 'b; c");
        assertThat(SqlSplitter.split("a 'b\\", true)).containsExactly("a 'b\\");
        assertThat(SqlSplitter.split("a /* b; c", false)).containsExactly("a /* b; c");
    }

    @Test
    void slashes_alone_areTheOnlyEnds() {
        assertThat(SqlSplitter.split("a; b\n/\nc / d;\n /\n", false)).containsExactly("a; b", "c / d;");
    }

    @Test
    void blank_isNoStatement() {
        assertThat(SqlSplitter.split(" ; -- x\n ;;", false)).isEmpty();
    }
}
