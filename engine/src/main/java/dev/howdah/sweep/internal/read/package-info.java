/** How the keys of rows are read: page by page, in passes, ahead of the workers. */
@NullMarked
package dev.howdah.sweep.internal.read;

import org.jspecify.annotations.NullMarked;
