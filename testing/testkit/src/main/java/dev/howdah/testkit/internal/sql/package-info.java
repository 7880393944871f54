/** What tests ask the database. */
@NullMarked
package dev.howdah.testkit.internal.sql;

import org.jspecify.annotations.NullMarked;
