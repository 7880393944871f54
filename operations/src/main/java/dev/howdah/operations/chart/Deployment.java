package dev.howdah.operations.chart;

import java.time.Instant;

/**
 * The begin of a version of nodes.
 *
 * @param before the version of the node that was started before
 * @param node the first one of that version
 */
public record Deployment(Instant time, String version, String before, String node) {}
