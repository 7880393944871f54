/** The extension's part that is in an application: an application uses the beans and annotations that the guide names, and nothing of this package. */
@NullMarked
package dev.howdah.quarkus.runtime;

import org.jspecify.annotations.NullMarked;
