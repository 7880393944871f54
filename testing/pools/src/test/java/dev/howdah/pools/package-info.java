/** Tests of the library over connection pools and in Spring's transactions. */
@NullMarked
package dev.howdah.pools;

import org.jspecify.annotations.NullMarked;
