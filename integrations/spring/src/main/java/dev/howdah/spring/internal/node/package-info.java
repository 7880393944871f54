/** The node of an application, and what it needs. */
@NullMarked
package dev.howdah.spring.internal.node;

import org.jspecify.annotations.NullMarked;
