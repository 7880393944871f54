/** What the console runs with, and the sessions of browsers: pages and routes. */
@NullMarked
package dev.howdah.console.internal.settings;

import org.jspecify.annotations.NullMarked;
