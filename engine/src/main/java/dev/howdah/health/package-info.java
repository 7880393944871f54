/** Causes why something does not run, and the health of the database. */
@NullMarked
package dev.howdah.health;

import org.jspecify.annotations.NullMarked;
