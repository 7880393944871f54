/** Streams of pages that change while they are looked at. */
@NullMarked
package dev.howdah.console.internal.live;

import org.jspecify.annotations.NullMarked;
