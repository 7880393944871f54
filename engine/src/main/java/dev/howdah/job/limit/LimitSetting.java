package dev.howdah.job.limit;

/**
 * One setting, as {@link JobLimits#list} gives it.
 *
 * @param scope the jobs that it is for
 * @param eachNode whether it is for each node, not for all together
 * @param setting {@code concurrency}, {@code rate}, {@code share} or {@code ageing}
 * @param value for people, such as {@code 100 in 00:01:00}
 */
public record LimitSetting(LimitScope scope, boolean eachNode, String setting, String value) {}
