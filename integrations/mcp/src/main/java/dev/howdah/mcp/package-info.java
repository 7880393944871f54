/**
 * The tools of the console for agents that speak the Model Context Protocol: each message is answered by itself, without a session.
 */
@NullMarked
package dev.howdah.mcp;

import org.jspecify.annotations.NullMarked;
