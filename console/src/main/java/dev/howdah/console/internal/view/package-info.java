/** The text of pages: SQL with colours, states, times, numbers, links. */
@NullMarked
package dev.howdah.console.internal.view;

import org.jspecify.annotations.NullMarked;
