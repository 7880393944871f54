/**
 * The library. {@link dev.howdah.Database} is the address of a database; the features are packages that do not depend on each other:
 *
 * <ul>
 *   <li>{@link dev.howdah.task}: SQL text in the table {@code task}, run in the background;
 *   <li>{@link dev.howdah.job}: typed payloads for handlers in Java;
 *   <li>{@link dev.howdah.process}: long-lived entities with a state, a history and a timer;
 *   <li>{@link dev.howdah.sweep}: work on each row of a user's table.
 * </ul>
 *
 * <p>{@link dev.howdah.spi} holds interfaces that users may implement. Packages named {@code internal} are not API. The words are defined in
 * {@code docs/glossary.md}.
 */
@NullMarked
package dev.howdah;

import org.jspecify.annotations.NullMarked;
