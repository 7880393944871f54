@NullMarked
package dev.howdah.spring.internal.node;

import org.jspecify.annotations.NullMarked;
