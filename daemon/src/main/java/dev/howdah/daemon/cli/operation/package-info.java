/** Commands of declared operations. */
@NullMarked
package dev.howdah.daemon.cli.operation;

import org.jspecify.annotations.NullMarked;
