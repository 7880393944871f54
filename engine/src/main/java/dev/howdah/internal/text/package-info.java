/** Text: what the database can store of it, what a name may hold, and digests. */
@NullMarked
package dev.howdah.internal.text;

import org.jspecify.annotations.NullMarked;
