/**
 * For users' tests of jobs: {@link dev.howdah.testkit.TestJobs} runs due jobs when the test says so, on the test's own database, and moves the
 * time instead of waiting.
 */
@NullMarked
package dev.howdah.testkit;

import org.jspecify.annotations.NullMarked;
