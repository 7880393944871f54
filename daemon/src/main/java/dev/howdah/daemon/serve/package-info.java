/** {@code howdah up}: starts, supervises and stops what it serves. */
@NullMarked
package dev.howdah.daemon.serve;

import org.jspecify.annotations.NullMarked;
