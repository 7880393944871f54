package dev.howdah.daemon.cli;

import picocli.CommandLine.Option;

/** The options that every command has. */
public final class GlobalOptions {
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help and exit.")
    boolean help;

    @Option(
            names = {"-v", "--verbose"},
            description = "Verbose: debug logging and stack traces.")
    boolean verbose;
}
