/** The HTTP endpoint for Prometheus. */
@NullMarked
package dev.howdah.daemon.metrics;

import org.jspecify.annotations.NullMarked;
