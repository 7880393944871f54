/** Worker threads: the threads that run claimed jobs, and the one that runs the jobs that nodes have crashed with. */
@NullMarked
package dev.howdah.job.internal.worker;

import org.jspecify.annotations.NullMarked;
