/** Requests to processes from programs that are not nodes: administration, scripts, short-lived programs. */
@NullMarked
package dev.howdah.process.client;

import org.jspecify.annotations.NullMarked;
