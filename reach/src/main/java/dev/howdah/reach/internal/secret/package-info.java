/** The files of settings and secrets, and how they are read. */
@NullMarked
package dev.howdah.reach.internal.secret;

import org.jspecify.annotations.NullMarked;
