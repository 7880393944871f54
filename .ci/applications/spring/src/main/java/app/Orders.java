package app;

import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import java.util.Objects;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
class Orders {
    static final Kind<Confirmation> CONFIRM = Kind.of("confirm", Confirmation.class);

    private final JdbcTemplate jdbc;
    private final Jobs jobs;

    Orders(JdbcTemplate jdbc, Jobs jobs) {
        this.jdbc = jdbc;
        this.jobs = jobs;
    }

@@ docs/guide/spring.md / Transactions / 1
}
