/** What takes the tables of a feature out of a database. */
@NullMarked
package dev.howdah.internal.install;

import org.jspecify.annotations.NullMarked;
