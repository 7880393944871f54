/** Signed requests over HTTP, whoever sends them. */
@NullMarked
package dev.howdah.internal.http;

import org.jspecify.annotations.NullMarked;
