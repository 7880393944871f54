/** The node of an application, and what the application's beans need of Howdah. */
@NullMarked
package dev.howdah.beans.internal.node;

import org.jspecify.annotations.NullMarked;
