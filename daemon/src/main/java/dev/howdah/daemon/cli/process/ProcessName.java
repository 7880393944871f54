package dev.howdah.daemon.cli.process;

import picocli.CommandLine.Parameters;

/** The namespace and the id of a process, as arguments. */
final class ProcessName {
    @Parameters(index = "0", paramLabel = "NAMESPACE", description = "Its namespace.")
    @SuppressWarnings("NullAway.Init") // picocli sets it before a command is called
    private String namespace;

    @Parameters(index = "1", paramLabel = "ID", description = "Its id.")
    @SuppressWarnings("NullAway.Init") // picocli sets it before a command is called
    private String id;

    String namespace() {
        return namespace;
    }

    String id() {
        return id;
    }
}
