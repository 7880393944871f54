@NullMarked
package dev.howdah.daemon;

import org.jspecify.annotations.NullMarked;
