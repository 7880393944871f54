package dev.howdah.spi.reach;

/**
 * A version of a template.
 *
 * @param version from 1 on
 * @param kind {@code html}, where values are escaped, or {@code text}
 * @param body in Mustache
 */
public record ReachTemplate(String name, int version, String kind, String body) {}
