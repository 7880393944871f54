package dev.howdah.daemon.console;

import java.util.Objects;
import picocli.CommandLine.IVersionProvider;

/** The version of Howdah. */
public final class Version implements IVersionProvider {
    /** The version in the jar; classes that were not packed have none. */
    public static String text() {
        return Objects.requireNonNullElse(Version.class.getPackage().getImplementationVersion(), "unpacked");
    }

    @Override
    public String[] getVersion() {
        return new String[] {"howdah " + text() + " (Java " + Runtime.version() + ")"};
    }
}
