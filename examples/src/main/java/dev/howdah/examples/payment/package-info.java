/** A payment: the bank holds the money, and it is captured or released, once, even if a program crashes in the middle. */
@NullMarked
package dev.howdah.examples.payment;

import org.jspecify.annotations.NullMarked;
