/** The HTTP server: requests, their checks, answers. */
@NullMarked
package dev.howdah.console.internal.web;

import org.jspecify.annotations.NullMarked;
