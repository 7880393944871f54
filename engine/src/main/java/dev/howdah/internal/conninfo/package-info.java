/**
 * Reads connection strings as libpq does: words, URIs, the environment, service files and password files, plus the
 * URLs of JDBC translated to libpq's keywords.
 *
 * <p>The order of precedence is libpq's: what the text says, then the service, then the environment, then defaults
 * (which are not put into the result: {@link dev.howdah.Database} computes them, so that a changed user also
 * changes a database name that was never given).
 *
 * <p><b>No secret in a message.</b> Where libpq quotes the piece of text it stumbled over, that piece may be half a
 * password: {@code password=my secret} stops at {@code secret}, {@code postgresql://me:a/b@host} at port
 * {@code a}. The parsers here say where they stopped instead of quoting, whenever a secret may be in that place.
 */
@NullMarked
package dev.howdah.internal.conninfo;

import org.jspecify.annotations.NullMarked;
