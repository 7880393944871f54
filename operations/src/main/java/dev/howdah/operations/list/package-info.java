/** Lists: each is declared once, with its columns, filters, orders and pages; the faces render them. */
@NullMarked
package dev.howdah.operations.list;

import org.jspecify.annotations.NullMarked;
