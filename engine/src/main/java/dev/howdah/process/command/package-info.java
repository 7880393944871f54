/** Typed commands for processes: one name, the type of the arguments and the type of the answer, for callers and for the processor. */
@NullMarked
package dev.howdah.process.command;

import org.jspecify.annotations.NullMarked;
