@NullMarked
package dev.howdah.examples.desk;

import org.jspecify.annotations.NullMarked;
