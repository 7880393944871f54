/** An order that lasts for days: one method, that is charged, cooled down, approved, packed in ten parcels and reported, each once, even if programs crash. */
@NullMarked
package dev.howdah.examples.order;

import org.jspecify.annotations.NullMarked;
