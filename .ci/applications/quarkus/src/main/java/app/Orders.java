package app;

import dev.howdah.beans.JobHandler;
import dev.howdah.beans.JobSchedule;
import dev.howdah.job.Job;
import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;

@ApplicationScoped
public class Orders {
    static final Kind<Long> CONFIRM = Kind.of("confirm", Long.class);

    private final DataSource source;
    private final Jobs jobs;

    Orders(DataSource source, Jobs jobs) {
        this.source = source;
        this.jobs = jobs;
    }

@@ docs/guide/quarkus.md / Transactions / 1
@@ docs/guide/quarkus.md / Handlers / 1
}
