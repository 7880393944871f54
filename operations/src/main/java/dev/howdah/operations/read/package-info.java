/** What the faces read of a database besides the features: nodes, groups of errors, statistics, and which tables there are. */
@NullMarked
package dev.howdah.operations.read;

import org.jspecify.annotations.NullMarked;
