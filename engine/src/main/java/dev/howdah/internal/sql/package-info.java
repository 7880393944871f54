/**
 * SQL as it stands in {@code .sql} files: one file for each table or feature, every statement under a
 * line {@code -- name: xyz}. A file is valid in psql as it is: parameters are written {@code :node} ({@code \set node 7}). Up to six of
 * them may be given one after the other, in the order that the heading says: {@code -- name: xyz(node, most)}; more are the components of a
 * record, or those of a record in it. A name that is only known at run time follows a comment
 * that says which one it is: <code>UPDATE &#47;*table*&#47;task SET ...</code>. SQL that is only known at run time takes
 * the place of what stands between two comments: <code>WHERE (&#47;*where:*&#47; true &#47;*:where*&#47;)</code>.
 * What several statements of a file share stands in one of them, between <code>&#47;*=filter:*&#47;</code> and <code>&#47;*:filter*&#47;</code>, with its
 * parameters, and takes the place of what stands as <code>&#47;*filter:*&#47;true&#47;*:filter*&#47;</code> in the others.
 * What stands as <code>&#47;*paused:*&#47;false&#47;*:paused*&#47;</code> is whether everything of Howdah in the database is paused, the same in all
 * files: see <code>paused.sql</code>.
 */
@NullMarked
package dev.howdah.internal.sql;

import org.jspecify.annotations.NullMarked;
