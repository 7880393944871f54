/**
 * The HTTP API: its routes, how requests are read and answered, errors as RFC 9457 has them. Start with {@link
 * dev.howdah.console.internal.api.ApiRoute}, and {@link dev.howdah.console.internal.api.ApiServer}, which answers.
 */
@NullMarked
package dev.howdah.console.internal.api;

import org.jspecify.annotations.NullMarked;
