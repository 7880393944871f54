/** What pages and actions of all features are made of: requests, routes, results, parts. */
@NullMarked
package dev.howdah.console.internal.page;

import org.jspecify.annotations.NullMarked;
