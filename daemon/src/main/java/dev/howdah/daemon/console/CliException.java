package dev.howdah.daemon.console;

import org.jspecify.annotations.Nullable;

/** Why a command ends without success: one clear line for a person, and the exit code that goes with it. */
public final class CliException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public static final int FAILED = 1;
    public static final int USAGE = 2;

    /** EX_TEMPFAIL of sysexits.h, as programs of mail servers have it. */
    public static final int LATER = 75;

    private final int exitCode;

    private CliException(int exitCode, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.exitCode = exitCode;
    }

    /** The command was understood and did not succeed. */
    public static CliException failed(String message) {
        return new CliException(FAILED, message, null);
    }

    /** The command was understood and did not succeed, for that reason. */
    public static CliException failed(String message, Throwable cause) {
        return new CliException(FAILED, message, cause);
    }

    /** The command was understood, and may succeed another time. */
    public static CliException later(String message, Throwable cause) {
        return new CliException(LATER, message, cause);
    }

    /** The command, its environment or its configuration file makes no sense. */
    public static CliException usage(String message) {
        return new CliException(USAGE, message, null);
    }

    /** The same, found by the server. */
    public static CliException usage(String message, Throwable cause) {
        return new CliException(USAGE, message, cause);
    }

    public int exitCode() {
        return exitCode;
    }
}
