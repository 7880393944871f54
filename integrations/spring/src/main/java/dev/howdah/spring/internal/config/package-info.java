/** The beans of an application. */
@NullMarked
package dev.howdah.spring.internal.config;

import org.jspecify.annotations.NullMarked;
