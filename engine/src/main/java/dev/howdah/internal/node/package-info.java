/** What keeps a node among the living, whatever it works on. */
@NullMarked
package dev.howdah.internal.node;

import org.jspecify.annotations.NullMarked;
