/** The declared lists, by subject; each class is loaded when a face names one of its lists. */
@NullMarked
package dev.howdah.operations.listed;

import org.jspecify.annotations.NullMarked;
