/** The pages and the routes of workflows of jobs. */
@NullMarked
package dev.howdah.console.internal.workflow;

import org.jspecify.annotations.NullMarked;
