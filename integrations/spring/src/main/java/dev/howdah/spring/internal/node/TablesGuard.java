package dev.howdah.spring.internal.node;

import dev.howdah.beans.internal.handler.RefusedStart;
import dev.howdah.job.Jobs;
import dev.howdah.process.Processes;
import dev.howdah.spring.HowdahProperties;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.util.ClassUtils;

/** Sees that tables are there before something is started that would make them, if others are to make them. Safe for use by many threads. */
public final class TablesGuard {
    /** Beans that change the schema of a database when they are made. Names, since not all are on the class path. */
    private static final List<String> TOOLS = List.of(
            "org.springframework.boot.autoconfigure.flyway.FlywayMigrationInitializer",
            "org.springframework.boot.flyway.autoconfigure.FlywayMigrationInitializer",
            "org.flywaydb.core.Flyway",
            "liquibase.integration.spring.SpringLiquibase");

    private final ListableBeanFactory beans;
    private final DataSource source;
    private final HowdahProperties properties;
    private final String schema;

    /** @param schema of the tables */
    public TablesGuard(ListableBeanFactory beans, DataSource source, HowdahProperties properties, String schema) {
        this.schema = schema;
        this.beans = beans;
        this.source = source;
        this.properties = properties;
    }

    /** The check of the tables of a feature. */
    private interface Check {
        boolean isInstalled(Connection connection, String schema) throws SQLException;
    }

    /** @throws RefusedStart if the tables of jobs are missing, and are not to be made here */
    public void checkJobs() {
        check("jobs", "job", Jobs::isInstalled, Jobs.schemaVersion());
    }

    /** As {@link #checkJobs}, of processes. */
    public void checkProcesses() {
        check("processes", "process", Processes::isInstalled, Processes.schemaVersion());
    }

    private void check(String what, String feature, Check check, int version) {
        boolean tool = runTools();
        if (properties.install() == HowdahProperties.Install.START
                || properties.install() == HowdahProperties.Install.AUTO && !tool) return;
        try (Connection connection = source.getConnection()) {
            if (check.isInstalled(connection, schema)) return;
        } catch (SQLException e) {
            throw new RefusedStart(
                    "The tables of " + what + " cannot be looked at: " + e.getMessage() + ".",
                    "Make the database reachable, and see that its tables fit this version of Howdah.",
                    e);
        }
        throw new RefusedStart(
                "The tables of " + what + " are missing in the schema " + schema
                        + ", or older than version "
                        + version + ", and "
                        + (tool
                                ? "Flyway or Liquibase makes the tables of this application."
                                : "howdah.install=never."),
                "Add the SQL that ./howdah " + feature + " schema --from 0 --to " + version + installation()
                        + " prints (or "
                        + (feature.equals("job") ? "Jobs" : "Processes") + ".schema("
                        + (installation().isEmpty() ? "" : "\"" + schema + "\", ") + "0, " + version
                        + ")) to its migrations, or let Howdah make its tables: howdah.install=start.");
    }

    private String installation() {
        return schema.equals("howdah") ? "" : " --installation " + schema;
    }

    /** Makes the beans that change the schema, so that they have done so; returns whether there is one. */
    private boolean runTools() {
        boolean found = false;
        for (String each : TOOLS) {
            if (!ClassUtils.isPresent(each, beans.getClass().getClassLoader())) continue;
            Class<?> type = ClassUtils.resolveClassName(each, beans.getClass().getClassLoader());
            found |= !beans.getBeansOfType(type, false, true).isEmpty();
        }
        return found;
    }
}
