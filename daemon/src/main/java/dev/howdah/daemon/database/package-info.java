/** Which database a command means, and what runs there. */
@NullMarked
package dev.howdah.daemon.database;

import org.jspecify.annotations.NullMarked;
