@NullMarked
package dev.howdah.embedded;

import org.jspecify.annotations.NullMarked;
