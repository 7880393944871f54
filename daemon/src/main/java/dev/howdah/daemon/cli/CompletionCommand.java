package dev.howdah.daemon.cli;

import dev.howdah.daemon.console.Terminal;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code howdah completion}: a script that teaches a shell all commands and options. */
@Command(
        name = "completion",
        description = "Print a script for bash and zsh that completes commands and options.",
        footer = {
            "",
            "Examples:",
            "  source <(howdah completion)",
            "  howdah completion > /etc/bash_completion.d/howdah"
        })
public final class CompletionCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call
    private CommandSpec spec;

    private CompletionCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    public static CommandLine commandLine(Terminal terminal) {
        return new CommandLine(new CompletionCommand(terminal));
    }

    @Override
    public Integer call() {
        terminal.out().print(AutoComplete.bash("howdah", spec.root().commandLine()));
        return 0;
    }
}
