/** What charts are drawn from: jobs over time. */
@NullMarked
package dev.howdah.operations.chart;

import org.jspecify.annotations.NullMarked;
