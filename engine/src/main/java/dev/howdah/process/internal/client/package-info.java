/** The client side: requests of callers, queries, and the registry of namespaces. */
@NullMarked
package dev.howdah.process.internal.client;

import org.jspecify.annotations.NullMarked;
