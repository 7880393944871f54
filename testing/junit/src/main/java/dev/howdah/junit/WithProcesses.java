package dev.howdah.junit;

import dev.howdah.process.ProcessesBuilder;
import javax.sql.DataSource;

/** A test class with namespaces: those of {@link dev.howdah.testkit.TestProcesses} in parameters of its tests. */
@FunctionalInterface
public interface WithProcesses {
    /** Returns processes of that database, with their namespaces. */
    ProcessesBuilder processes(DataSource database);
}
