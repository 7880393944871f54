/** One desk that takes orders, by each of several libraries for SQL: the order and its job are committed together, or neither is. */
@NullMarked
package dev.howdah.examples.desk;

import org.jspecify.annotations.NullMarked;
