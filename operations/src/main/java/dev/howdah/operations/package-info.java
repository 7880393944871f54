/**
 * Changes of the objects of Howdah, each declared once: the console makes forms and buttons of them, the HTTP API routes, the command
 * line commands, and the audit table rows. A declaration is a constant in {@link dev.howdah.operations.change}; {@link
 * dev.howdah.operations.change.Operations} lists them. Internal: programs use the engine.
 */
@NullMarked
package dev.howdah.operations;

import org.jspecify.annotations.NullMarked;
