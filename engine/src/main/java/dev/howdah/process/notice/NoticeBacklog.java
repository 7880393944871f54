package dev.howdah.process.notice;

import java.time.Duration;

/**
 * The notices of a namespace that have not been published yet.
 *
 * @param waiting the number of notices that wait; counted up to 100,000
 * @param lag the age of the first of them; zero if none waits
 * @param heldProcesses the number of processes with a refused notice
 * @param held the number of notices that these block; counted up to 100,000
 */
public record NoticeBacklog(long waiting, Duration lag, long heldProcesses, long held) {}
