package dev.howdah.daemon.cli;

import picocli.CommandLine.Option;

/** The options that every command has. */
public final class GlobalOptions {
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Print this and end.")
    boolean help;

    @Option(
            names = {"-v", "--verbose"},
            description = "Say more: debug lines in the log, and the whole story of an error.")
    boolean verbose;
}
