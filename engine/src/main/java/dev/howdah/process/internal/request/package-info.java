/** Requests: how they are written and how callers get their replies. */
@NullMarked
package dev.howdah.process.internal.request;

import org.jspecify.annotations.NullMarked;
