/** Documents of templates, made in a process of its own. */
@NullMarked
package dev.howdah.reach.internal.document;

import org.jspecify.annotations.NullMarked;
