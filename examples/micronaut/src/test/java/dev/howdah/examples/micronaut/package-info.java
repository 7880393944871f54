/** Tests of the shop, as its own authors write them. */
@NullMarked
package dev.howdah.examples.micronaut;

import org.jspecify.annotations.NullMarked;
