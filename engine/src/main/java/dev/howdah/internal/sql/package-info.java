/**
 * SQL as it stands in {@code .sql} files: one file for each table or feature, every statement under a
 * line {@code -- name: xyz}. A file is valid SQL as it is: parameters are written {@code $1}, {@code $2}, ...
 * (so {@code PREPARE} takes each statement), and a name that is only known at run time follows a comment
 * that says which one it is: <code>UPDATE &#47;*table*&#47;task SET ...</code>. SQL that is only known at run time takes
 * the place of what stands between two comments: <code>WHERE (&#47;*where:*&#47; true &#47;*:where*&#47;)</code>.
 * What stands as <code>&#47;*paused:*&#47;false&#47;*:paused*&#47;</code> is whether everything of Howdah in the database is paused, the same in all
 * files: see <code>paused.sql</code>.
 */
@NullMarked
package dev.howdah.internal.sql;

import org.jspecify.annotations.NullMarked;
