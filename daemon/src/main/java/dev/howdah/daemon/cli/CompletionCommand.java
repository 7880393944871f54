package dev.howdah.daemon.cli;

import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.console.Terminal;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code howdah completion}: a script that teaches a shell all commands and options. */
@Command(
        name = "completion",
        description = "Print a script for bash, zsh or fish that completes commands and options.",
        footer = {
            "",
            "Examples:",
            "  source <(howdah completion)",
            "  howdah completion > /etc/bash_completion.d/howdah",
            "  howdah completion fish > ~/.config/fish/completions/howdah.fish"
        })
public final class CompletionCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Parameters(
            arity = "0..1",
            paramLabel = "SHELL",
            defaultValue = "bash",
            description = "bash, zsh, which takes the same script, or fish; bash by default")
    @SuppressWarnings("NullAway.Init") // picocli sets it before call
    private String shell;

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
        CommandLine root = spec.root().commandLine();
        terminal.out()
                .print(
                        switch (shell) {
                            case "bash", "zsh" -> AutoComplete.bash("howdah", root);
                            case "fish" -> FishCompletion.of("howdah", root);
                            default ->
                                throw CliException.usage(
                                        "there is no script for \"" + shell + "\": bash, zsh and fish have one");
                        });
        return 0;
    }
}
