/** What users may implement. */
@NullMarked
package dev.howdah.spi;

import org.jspecify.annotations.NullMarked;
