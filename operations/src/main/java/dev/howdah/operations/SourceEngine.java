package dev.howdah.operations;

import dev.howdah.health.DatabaseHealth;
import dev.howdah.job.JobAdmin;
import dev.howdah.job.Jobs;
import dev.howdah.job.Schedules;
import dev.howdah.operations.chart.ChartReads;
import dev.howdah.operations.read.EngineReads;
import dev.howdah.operations.store.AuditStore;
import dev.howdah.operations.store.TokenStore;
import dev.howdah.process.Notices;
import dev.howdah.process.ProcessReader;
import dev.howdah.spi.PayloadCodec;
import dev.howdah.sweep.Sweeps;
import javax.sql.DataSource;

/** The features of an installation by sessions of a source, but for what differs between faces. Safe for use by many threads. */
public interface SourceEngine extends Engine {
    DataSource source();

    /** The schema of the tables of jobs and processes. */
    String schema();

    /** Reads the payloads of processes. */
    PayloadCodec codec();

    @Override
    default JobAdmin jobs() {
        return Jobs.on(source()).schema(schema()).admin();
    }

    @Override
    default Schedules schedules() {
        return Jobs.on(source()).schema(schema()).schedules();
    }

    @Override
    default Sweeps sweeps() {
        return Sweeps.on(source());
    }

    @Override
    default ProcessReader processes() {
        return ProcessReader.on(source(), codec(), schema());
    }

    @Override
    default Notices notices() {
        return Notices.on(source(), schema());
    }

    @Override
    default DatabaseHealth health() {
        return DatabaseHealth.on(source()).schema(schema());
    }

    @Override
    default TokenStore storedTokens() {
        return new TokenStore(source(), schema());
    }

    @Override
    default AuditStore audit() {
        return new AuditStore(source(), schema());
    }

    @Override
    default ChartReads charts() {
        return new ChartReads(source(), schema());
    }

    @Override
    default EngineReads reads() {
        return new EngineReads(source(), schema());
    }
}
