/** Lines that handlers log, for the logs of their jobs. */
@NullMarked
package dev.howdah.spring.internal.log;

import org.jspecify.annotations.NullMarked;
