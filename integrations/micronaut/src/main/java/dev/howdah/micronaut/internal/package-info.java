/** The module for Micronaut: an application uses the beans and annotations that the guide names, and nothing of this package. */
@NullMarked
package dev.howdah.micronaut.internal;

import org.jspecify.annotations.NullMarked;
