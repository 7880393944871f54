/** Sessions of the database that keep others waiting, on the page of the database and in the API. */
@NullMarked
package dev.howdah.console.internal.session;

import org.jspecify.annotations.NullMarked;
