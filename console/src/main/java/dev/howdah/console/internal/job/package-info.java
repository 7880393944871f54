/** Pages and actions of jobs, queues and errors. */
@NullMarked
package dev.howdah.console.internal.job;

import org.jspecify.annotations.NullMarked;
