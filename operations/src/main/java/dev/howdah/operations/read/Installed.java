package dev.howdah.operations.read;

/** Which features have tables in the database. */
public record Installed(boolean jobs, boolean processes, boolean sweeps) {}
