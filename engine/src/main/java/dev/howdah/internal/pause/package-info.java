/**
 * The pause of everything that Howdah does in a database: tasks, jobs, schedules, processes, sweeps and all upkeep. It is a mark in the
 * database itself, the view {@code howdah.paused}, so that a dump, a copy or a clone has it too. Statements that begin work look for the mark
 * themselves, in the place of {@code /*paused:*}{@code /}: see {@code dev/howdah/internal/sql/paused.sql}.
 */
@NullMarked
package dev.howdah.internal.pause;

import org.jspecify.annotations.NullMarked;
