package dev.howdah.daemon.cli.process;

import dev.howdah.daemon.console.CliException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Parameters;

/** The namespace and the id of a process, as arguments. */
interface ProcessName {
    String namespace();

    /** @throws CliException if it is missing, as it may be in a command that changes many */
    String id();

    /** Those of one process. */
    final class One implements ProcessName {
        @Parameters(index = "0", paramLabel = "NAMESPACE", description = "Its namespace.")
        @SuppressWarnings("NullAway.Init") // picocli sets it before a command is called
        private String namespace;

        @Parameters(index = "1", paramLabel = "ID", description = "Its id.")
        @SuppressWarnings("NullAway.Init") // picocli sets it before a command is called
        private String id;

        @Override
        public String namespace() {
            return namespace;
        }

        @Override
        public String id() {
            return id;
        }
    }

    /** Those of one process, or with {@code --all} the namespace of many. */
    final class OneOrAll implements ProcessName {
        @Parameters(index = "0", paramLabel = "NAMESPACE", description = "Its namespace, or with --all theirs.")
        @SuppressWarnings("NullAway.Init") // picocli sets it before a command is called
        private String namespace;

        @Parameters(index = "1", paramLabel = "ID", arity = "0..1", description = "Its id; none with --all.")
        private @Nullable String id;

        @Override
        public String namespace() {
            return namespace;
        }

        @Override
        public String id() {
            if (id == null) throw CliException.usage("missing ID, or --all");
            return id;
        }

        boolean hasId() {
            return id != null;
        }
    }
}
