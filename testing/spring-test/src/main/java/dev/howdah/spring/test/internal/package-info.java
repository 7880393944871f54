/** How an application is changed for a test. */
@NullMarked
package dev.howdah.spring.test.internal;

import org.jspecify.annotations.NullMarked;
