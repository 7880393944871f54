/** All public calls, in all transactions that a caller may be in. */
@NullMarked
package dev.howdah.calls;

import org.jspecify.annotations.NullMarked;
