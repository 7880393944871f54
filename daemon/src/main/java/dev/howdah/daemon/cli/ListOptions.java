package dev.howdah.daemon.cli;

import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.console.Listing;
import dev.howdah.daemon.console.Terminal;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** {@code --json}, {@code --csv} and {@code --columns} of the commands that list. */
public final class ListOptions {
    @Option(names = "--json", description = "Print a JSON object on a line for each.")
    private boolean json;

    @Option(names = "--csv", description = "Print CSV, the names of the columns first.")
    private boolean csv;

    @Option(
            names = "--columns",
            paramLabel = "LIST",
            description = "Print these columns only, in this order: names as --csv has them, separated by commas.")
    private @Nullable String columns;

    /** Those of a command that has only one of them. */
    public static ListOptions of(boolean json) {
        ListOptions options = new ListOptions();
        options.json = json;
        return options;
    }

    /**
     * Begins to print rows.
     *
     * @throws CliException if the options exclude each other, or there is no column of such a name
     */
    public <T> Listing<T>.Rows begin(Terminal terminal, Listing<T> listing) {
        if (csv && json) throw CliException.usage("--csv and --json exclude each other");
        Listing.Form form = json ? Listing.Form.JSON : csv ? Listing.Form.CSV : Listing.Form.TABLE;
        return listing.to(
                terminal, form, columns == null ? null : List.of(columns.strip().split("\\s*,\\s*", -1)));
    }

    /**
     * Prints rows, which are asked for when the options are known to be right.
     *
     * @return the exit code 0
     */
    public <T> int print(Terminal terminal, Listing<T> listing, Supplier<List<T>> rows) {
        Listing<T>.Rows printed = begin(terminal, listing);
        printed.print(rows.get());
        return 0;
    }
}
