package dev.howdah.daemon.cli;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi.Text;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** A help whose lines end at blanks: picocli alone ends them within addresses and names of files as well. */
public final class WholeWordsHelp extends Help {
    public WholeWordsHelp(CommandSpec command, ColorScheme colours) {
        super(command, colours);
    }

    @Override
    public Layout createDefaultLayout(
            List<OptionSpec> options, List<PositionalParamSpec> positionals, ColorScheme colours) {
        Layout usual = super.createDefaultLayout(options, positionals, colours);
        return new Layout(colours, usual.textTable(), usual.optionRenderer(), usual.parameterRenderer()) {
            @Override
            public void layout(ArgSpec argument, Text[][] rows) {
                super.layout(argument, wrapped(rows, table));
            }
        };
    }

    /** The last column is the description; what does not fit into a row has a row of its own. */
    private static Text[][] wrapped(Text[][] rows, TextTable table) {
        Column[] columns = table.columns();
        int last = columns.length - 1;
        List<Text[]> all = new ArrayList<>();
        for (Text[] row : rows) {
            List<Text> lines = lines(row[last], columns[last].width, columns[last].indent);
            for (int i = 0; i < lines.size(); i++) {
                Text[] one = row.clone();
                if (i > 0) for (int column = 0; column < last; column++) one[column] = row[last].substring(0, 0);
                one[last] = lines.get(i);
                all.add(one);
            }
        }
        return all.toArray(Text[][]::new);
    }

    /** A word that is longer than a line is left to picocli. */
    private static List<Text> lines(Text text, int width, int indent) {
        List<Text> lines = new ArrayList<>();
        String plain = text.plainString();
        int from = 0;
        while (plain.length() - from > width - (from == 0 ? 0 : indent)) {
            int most = from + width - (from == 0 ? 0 : indent);
            int blank = plain.lastIndexOf(' ', most);
            if (blank <= from) break;
            lines.add(part(text, from, blank, indent));
            from = blank + 1;
        }
        lines.add(part(text, from, plain.length(), indent));
        return lines;
    }

    private static Text part(Text text, int from, int until, int indent) {
        Text part = text.substring(from, until);
        return from == 0
                ? part
                : text.substring(0, 0).concat(" ".repeat(indent)).concat(part);
    }
}
