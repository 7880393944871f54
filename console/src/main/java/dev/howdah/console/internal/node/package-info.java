/** The pages of nodes. */
@NullMarked
package dev.howdah.console.internal.node;

import org.jspecify.annotations.NullMarked;
