/** The pages of sweeps: their list, and one of them with its workers and errors. */
@NullMarked
package dev.howdah.console.internal.sweep;

import org.jspecify.annotations.NullMarked;
