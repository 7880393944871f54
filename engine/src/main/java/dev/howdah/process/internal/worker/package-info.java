/** How a node runs steps: the poll for due processes, worker threads, and the batch writer of steps and requests. */
@NullMarked
package dev.howdah.process.internal.worker;

import org.jspecify.annotations.NullMarked;
