/** Settings from options, environment and file. */
@NullMarked
package dev.howdah.daemon.config;

import org.jspecify.annotations.NullMarked;
