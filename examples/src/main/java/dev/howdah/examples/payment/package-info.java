/** A payment: the bank holds the money, and it is captured or released, once, whatever dies in the middle. */
@NullMarked
package dev.howdah.examples.payment;

import org.jspecify.annotations.NullMarked;
