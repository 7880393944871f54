/** Tasks that are requests: {@code https://} and {@code http://}. */
@NullMarked
package dev.howdah.reach.internal.http;

import org.jspecify.annotations.NullMarked;
