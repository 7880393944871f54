/** What goes wrong with certificates, in words. */
@NullMarked
package dev.howdah.reach.internal.tls;

import org.jspecify.annotations.NullMarked;
