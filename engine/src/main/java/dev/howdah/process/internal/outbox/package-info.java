/** The outbox: notices are stored with the step that caused them and relayed to a publisher in order. */
@NullMarked
package dev.howdah.process.internal.outbox;

import org.jspecify.annotations.NullMarked;
