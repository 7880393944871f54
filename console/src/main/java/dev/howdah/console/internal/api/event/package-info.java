/**
 * The stream of events of the HTTP API. While there is a stream, the database is asked 25 times a second whether anything has been
 * written; if so, single tasks, jobs and processes that have become something else are read, and, less often, queues, tables of tasks,
 * namespaces, nodes and sweeps, once for all streams, and what differs is an event with the next number:
 *
 * <pre>
 *   database --> ChangeReader, StateReader --> EventLog (the state, the latest 10,000 events) --> StateStream (a number) --> client
 *   NOTIFY   --> ChannelListener           -->
 * </pre>
 *
 * <p>A stream keeps nothing but the number of the event that it has sent last, so that a slow client costs no memory. A client that comes
 * again with the id of an event gets those after it; if they are not there any more, it is told so, and gets the whole state.
 */
@NullMarked
package dev.howdah.console.internal.api.event;

import org.jspecify.annotations.NullMarked;
