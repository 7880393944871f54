/** The pages of processes: their namespaces, a list, one of them with its timeline, and what can be asked of it. */
@NullMarked
package dev.howdah.console.internal.process;

import org.jspecify.annotations.NullMarked;
