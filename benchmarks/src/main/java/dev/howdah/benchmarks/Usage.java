package dev.howdah.benchmarks;

/**
 * What server and daemon have used since they began.
 *
 * @param serverSeconds of processor time, all processes of the server together
 * @param serverSwitches how often its backends had to wait
 * @param walBytes written to the log
 */
record Usage(double serverSeconds, double daemonSeconds, long serverSwitches, long daemonSwitches, long walBytes) {
    Usage minus(Usage before) {
        return new Usage(
                serverSeconds - before.serverSeconds,
                daemonSeconds - before.daemonSeconds,
                serverSwitches - before.serverSwitches,
                daemonSwitches - before.daemonSwitches,
                walBytes - before.walBytes);
    }
}
