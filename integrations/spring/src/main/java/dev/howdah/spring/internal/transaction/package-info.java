/** Spring's transactions. */
@NullMarked
package dev.howdah.spring.internal.transaction;

import org.jspecify.annotations.NullMarked;
