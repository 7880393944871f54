package dev.howdah.console.internal.data;

/** Which features have tables in the database. */
public record Installed(boolean jobs, boolean processes, boolean sweeps) {}
