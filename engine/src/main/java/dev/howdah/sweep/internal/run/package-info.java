/** The run of a sweep in a process: pre-flight check, start, progress reports, rescue of crashed processes. */
@NullMarked
package dev.howdah.sweep.internal.run;

import org.jspecify.annotations.NullMarked;
