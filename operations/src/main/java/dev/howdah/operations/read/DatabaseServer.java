package dev.howdah.operations.read;

import java.util.Map;

/**
 * The server of the console's database.
 *
 * @param version as {@code server_version} has it
 * @param database its name
 * @param role of the console's sessions
 * @param tables the versions of the tables, by feature
 */
public record DatabaseServer(String version, String database, String role, Map<String, Integer> tables) {}
