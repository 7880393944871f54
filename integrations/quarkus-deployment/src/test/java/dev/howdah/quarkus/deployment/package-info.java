/** Tests of the extension, each in an application of its own. */
@NullMarked
package dev.howdah.quarkus.deployment;

import org.jspecify.annotations.NullMarked;
