/** The server of the tests, its template databases, and the databases of tests. */
@NullMarked
package dev.howdah.junit.internal.database;

import org.jspecify.annotations.NullMarked;
