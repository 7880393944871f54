/** The tables of the console: tokens and the audit log. */
@NullMarked
package dev.howdah.console.internal.store;

import org.jspecify.annotations.NullMarked;
