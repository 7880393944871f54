/** Child processes of the program: whose rights they have, and what they write about errors. */
@NullMarked
package dev.howdah.reach.internal.child;

import org.jspecify.annotations.NullMarked;
