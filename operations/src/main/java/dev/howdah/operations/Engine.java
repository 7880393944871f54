package dev.howdah.operations;

import dev.howdah.health.DatabaseHealth;
import dev.howdah.job.JobAdmin;
import dev.howdah.job.Schedules;
import dev.howdah.sweep.Sweeps;

/** The features of one installation in one database, which operations call. */
public interface Engine {
    JobAdmin jobs();

    Schedules schedules();

    Sweeps sweeps();

    DatabaseHealth health();

    AccessTokens tokens();
}
