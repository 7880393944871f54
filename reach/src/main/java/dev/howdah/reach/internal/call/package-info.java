/** What all schemes share: targets, the places that are allowed, credentials, addresses, and how a call ends. */
@NullMarked
package dev.howdah.reach.internal.call;

import org.jspecify.annotations.NullMarked;
