/** One controller for each page. */
@NullMarked
package dev.howdah.console.internal.page;

import org.jspecify.annotations.NullMarked;
