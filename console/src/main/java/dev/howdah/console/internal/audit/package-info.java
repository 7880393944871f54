/** Who changed what: each change is written down before it happens, and its outcome after it. */
@NullMarked
package dev.howdah.console.internal.audit;

import org.jspecify.annotations.NullMarked;
