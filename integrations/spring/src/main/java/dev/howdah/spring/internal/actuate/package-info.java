/** Health and information for the actuator. */
@NullMarked
package dev.howdah.spring.internal.actuate;

import org.jspecify.annotations.NullMarked;
