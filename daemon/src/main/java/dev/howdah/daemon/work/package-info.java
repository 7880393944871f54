/** Jobs, processes and sweeps whose work is SQL, an HTTP request or a program. */
@NullMarked
package dev.howdah.daemon.work;

import org.jspecify.annotations.NullMarked;
