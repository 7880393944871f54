/**
 * A small client for version 3 of PostgreSQL's protocol, for sessions that run other people's SQL text.
 *
 * <p><b>Why not pgjdbc</b>, which all of our own statements go through? Because a task's text must meet the session
 * that psql would give it. pgjdbc puts DateStyle, TimeZone and client_encoding of the JVM into its start-up packet,
 * which hides what {@code ALTER ROLE} and {@code ALTER DATABASE} have set; it ends a session whose text changes
 * DateStyle or client_encoding; it keeps a whole result in memory; and it loses the rows that came before an error.
 * Command tags, notices and the server's own text for each value, in the order in which they were sent, are behind
 * its internal classes. The part of the protocol that is needed here fits on a page.
 *
 * <p><b>How it works.</b> A request is one write; then messages are read and handed to a {@link
 * dev.howdah.internal.wire.WireListener} as they come until ReadyForQuery. Nothing is kept: rows are shown in the
 * input buffer itself, so a result of any length needs memory for its longest row only. An ERROR is an event like
 * others, because rows and tags may have come before it. Only the loss of the connection, a FATAL included, is an
 * exception, and closes.
 *
 * <p><b>Opening</b> tries each host, each of its addresses, with or without TLS as {@code sslmode} orders. A host
 * that cannot be reached, is starting up or is of the wrong kind ({@code target_session_attrs}) is passed over; a
 * refusal (wrong password, no such database) is final. A watch closes the socket of an attempt that takes too long,
 * whatever it is waiting for.
 *
 * <p><b>Character sets.</b> The session starts with UTF8. The text may change client_encoding, and what is sent and
 * decoded afterwards follows the server's ParameterStatus. From version 14 on servers report a change only when the
 * whole message is done: text that changes the encoding and selects in one go is decoded with the encoding before.
 */
@NullMarked
package dev.howdah.internal.wire;

import org.jspecify.annotations.NullMarked;
