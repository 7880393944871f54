/** Pages about all features together: overview, search, nodes, database. */
@NullMarked
package dev.howdah.console.internal.overview;

import org.jspecify.annotations.NullMarked;
