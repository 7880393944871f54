/** Why an application cannot start, in words. */
@NullMarked
package dev.howdah.spring.internal.failure;

import org.jspecify.annotations.NullMarked;
