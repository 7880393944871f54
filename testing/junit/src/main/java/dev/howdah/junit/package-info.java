/**
 * For users' tests with JUnit: {@link dev.howdah.junit.HowdahTest} gives each test a database of its own, on a PostgreSQL that is started for
 * the tests or on the user's.
 */
@NullMarked
package dev.howdah.junit;

import org.jspecify.annotations.NullMarked;
