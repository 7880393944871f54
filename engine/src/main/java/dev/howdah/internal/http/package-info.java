/** Signed HTTP requests, for webhooks, jobs and endpoints of processes. Depends on the JDK only. */
@NullMarked
package dev.howdah.internal.http;

import org.jspecify.annotations.NullMarked;
