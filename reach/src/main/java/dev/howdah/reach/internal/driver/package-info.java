/**
 * What runs in the child process of a driver, with the classes of Java alone: {@link dev.howdah.reach.internal.driver.DriverMain} is its
 * program, {@link dev.howdah.reach.internal.driver.DriverFrames} what it and the daemon say to each other.
 */
@NullMarked
package dev.howdah.reach.internal.driver;

import org.jspecify.annotations.NullMarked;
