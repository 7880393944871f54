/** For users' tests of what they do with Howdah: on their own database, without waiting. */
@NullMarked
package dev.howdah.testkit;

import org.jspecify.annotations.NullMarked;
