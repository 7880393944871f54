/**
 * Notices: changes of processes, for other systems. A {@link dev.howdah.process.notice.Publisher} passes them on after the commit
 * of their step, at least once and in order for each process; {@link dev.howdah.process.Notices} shows and unblocks those that wait.
 */
@NullMarked
package dev.howdah.process.notice;

import org.jspecify.annotations.NullMarked;
