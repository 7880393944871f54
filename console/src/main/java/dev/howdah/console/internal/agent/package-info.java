/**
 * The routes of the HTTP API as tools of agents. What speaks their protocol is an artifact of its own, which is found on the class path.
 */
@NullMarked
package dev.howdah.console.internal.agent;

import org.jspecify.annotations.NullMarked;
