/** Creates the tables of features in a database that has none yet. */
@NullMarked
package dev.howdah.console.internal.install;

import org.jspecify.annotations.NullMarked;
