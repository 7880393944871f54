/** The tokens of the console and the API: listed, added and revoked by pages and by the API. */
@NullMarked
package dev.howdah.console.internal.token;

import org.jspecify.annotations.NullMarked;
