/** A shop with Micronaut: orders, and jobs that confirm them. */
@NullMarked
package dev.howdah.examples.micronaut;

import org.jspecify.annotations.NullMarked;
