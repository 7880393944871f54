/** How the causes and checks of {@link dev.howdah.health} are read. */
@NullMarked
package dev.howdah.internal.health;

import org.jspecify.annotations.NullMarked;
