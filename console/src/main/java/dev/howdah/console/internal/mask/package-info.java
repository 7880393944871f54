/** Secrets in texts: which parts of a text are not shown, and not stored in the audit table. */
@NullMarked
package dev.howdah.console.internal.mask;

import org.jspecify.annotations.NullMarked;
