/** What Quarkus does when it builds an application with the extension. */
@NullMarked
package dev.howdah.quarkus.deployment;

import org.jspecify.annotations.NullMarked;
