/** What the operating system has: directories, locks, processes, and the user that runs the server. */
@NullMarked
package dev.howdah.embedded.internal.system;

import org.jspecify.annotations.NullMarked;
