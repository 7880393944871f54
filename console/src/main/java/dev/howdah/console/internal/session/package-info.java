/** Sessions of the database that keep others waiting: on its page, and where they are ended. */
@NullMarked
package dev.howdah.console.internal.session;

import org.jspecify.annotations.NullMarked;
