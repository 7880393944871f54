/** The shop of the tutorial for Java: orders whose work is done once, however often its program is killed. */
@NullMarked
package dev.howdah.examples.shop;

import org.jspecify.annotations.NullMarked;
