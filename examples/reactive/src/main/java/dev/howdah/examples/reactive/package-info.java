/** Orders and their jobs in one transaction of a client that is not blocking. */
@NullMarked
package dev.howdah.examples.reactive;

import org.jspecify.annotations.NullMarked;
