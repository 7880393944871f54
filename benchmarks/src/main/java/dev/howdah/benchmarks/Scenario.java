package dev.howdah.benchmarks;

/** One question about the program's speed or cost, and how it is answered. Measures in rounds and says what it saw. */
interface Scenario {
    /** What it is called on the command line and in the output. */
    String name();

    /** The daemon that it measures; scenarios in a row with equal needs share one. */
    default Daemon.Needs needs() {
        return Daemon.Needs.DEFAULT;
    }

    /** Measures, and prints a line for each round and one for all of them. */
    void run(Bench bench) throws Exception;
}
