@NullMarked
package dev.howdah.daemon.log;

import org.jspecify.annotations.NullMarked;
