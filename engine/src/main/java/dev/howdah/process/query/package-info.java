/** Results of {@link dev.howdah.process.ProcessReader} and {@link dev.howdah.process.Processes}: lists, traces, pending timers, health. */
@NullMarked
package dev.howdah.process.query;

import org.jspecify.annotations.NullMarked;
