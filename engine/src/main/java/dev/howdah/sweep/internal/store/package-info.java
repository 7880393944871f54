/** The schema of sweeps, its SQL files, the definition of a sweep and the table as the catalog describes it. */
@NullMarked
package dev.howdah.sweep.internal.store;

import org.jspecify.annotations.NullMarked;
