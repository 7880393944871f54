/** Charts of statistics: what has ended, how much of it has failed, and how long jobs waited, over time. */
@NullMarked
package dev.howdah.console.internal.chart;

import org.jspecify.annotations.NullMarked;
