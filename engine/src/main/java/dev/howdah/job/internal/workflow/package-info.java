/** How workflows are added and read; {@code 001-job/table-workflow.sql} describes how they advance. */
@NullMarked
package dev.howdah.job.internal.workflow;

import org.jspecify.annotations.NullMarked;
