package dev.howdah.process;

import java.time.Duration;

/**
 * What others have not been told yet of the processes of a namespace.
 *
 * @param waiting how many notices wait to be told; counted up to 100,000
 * @param lag how long ago the first of them happened; zero if none waits
 * @param heldProcesses how many processes have a notice that will never be taken as it is
 * @param held how many notices are held because of these; counted up to 100,000
 */
public record NoticeBacklog(long waiting, Duration lag, long heldProcesses, long held) {}
