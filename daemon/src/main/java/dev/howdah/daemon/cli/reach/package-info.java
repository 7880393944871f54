/** {@code howdah reach}: what tasks may reach. */
@NullMarked
package dev.howdah.daemon.cli.reach;

import org.jspecify.annotations.NullMarked;
