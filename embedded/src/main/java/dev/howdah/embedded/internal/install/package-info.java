/** The PostgreSQL binaries: which there are, and how they are unpacked. */
@NullMarked
package dev.howdah.embedded.internal.install;

import org.jspecify.annotations.NullMarked;
