package dev.howdah.console;

/** The name of a table of tasks. */
public record TaskTableName(String schema, String table) {}
