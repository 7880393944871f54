/** The tables of the console: tokens and the audit log. */
@NullMarked
package dev.howdah.operations.store;

import org.jspecify.annotations.NullMarked;
