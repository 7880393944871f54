/** An agent that settles complaints: its conversation with a model is a durable job. */
@NullMarked
package dev.howdah.examples.agent;

import org.jspecify.annotations.NullMarked;
