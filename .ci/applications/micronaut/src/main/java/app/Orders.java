package app;

import dev.howdah.beans.JobHandler;
import dev.howdah.beans.JobSchedule;
import dev.howdah.job.Job;
import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;

@Singleton
class Orders {
    static final Kind<Long> CONFIRM = Kind.of("confirm", Long.class);

    private final DataSource source;
    private final Jobs jobs;

    Orders(DataSource source, Jobs jobs) {
        this.source = source;
        this.jobs = jobs;
    }

@@ docs/guide/micronaut.md / Transactions / 1
@@ docs/guide/micronaut.md / Handlers / 1
}
