/** Changes of many tasks or jobs: those that were selected, or all that match a filter, in the background. */
@NullMarked
package dev.howdah.console.internal.bulk;

import org.jspecify.annotations.NullMarked;
