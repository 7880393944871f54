/**
 * Howdah in an application of Spring Boot: {@link dev.howdah.spring.JobHandler} makes a method of a bean the handler of a kind of jobs, {@link
 * dev.howdah.spring.HowdahProperties} are the properties {@code howdah.*}.
 *
 * <p>Beans: {@link dev.howdah.job.Jobs}, {@link dev.howdah.process.Processes}, {@link dev.howdah.sweep.Sweeps} and {@link
 * dev.howdah.task.TaskTable} of the application's data source. These add and ask; what runs jobs and processes is a node, which starts after all other
 * beans and stops before them.
 */
@NullMarked
package dev.howdah.spring;

import org.jspecify.annotations.NullMarked;
