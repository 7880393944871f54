/** The place of a page in a list that is shown page by page. */
@NullMarked
package dev.howdah.console.internal.list;

import org.jspecify.annotations.NullMarked;
