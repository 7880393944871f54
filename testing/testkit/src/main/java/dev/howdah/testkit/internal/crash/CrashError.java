package dev.howdah.testkit.internal.crash;

/** The end of a program under test. No exception, so that its code does not go on as after a failure. */
public final class CrashError extends Error {
    private static final long serialVersionUID = 1L;

    CrashError(String point) {
        super("crash " + point, null, false, false);
    }
}
