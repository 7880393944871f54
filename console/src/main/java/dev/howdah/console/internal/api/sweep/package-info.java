/** The routes of sweeps. */
@NullMarked
package dev.howdah.console.internal.api.sweep;

import org.jspecify.annotations.NullMarked;
