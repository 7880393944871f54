/** What supervisors of the daemon see: metrics, probes, the state that it reports to systemd. */
@NullMarked
package dev.howdah.daemon.monitoring;

import org.jspecify.annotations.NullMarked;
