/** The statements of a sweep: templates with the fragments of the user put in. */
@NullMarked
package dev.howdah.sweep.internal.statements;

import org.jspecify.annotations.NullMarked;
