/** A shop with Quarkus: orders, and jobs that confirm them. */
@NullMarked
package dev.howdah.examples.quarkus;

import org.jspecify.annotations.NullMarked;
