package dev.howdah.daemon.cli.top.list;

/**
 * A column of a list.
 *
 * @param right whether its values stand at the right, as numbers do
 * @param rank which columns a narrow terminal drops: those of the highest rank first; 0 is never dropped
 * @param widest the most columns of the terminal that it takes; 0: what is left
 */
public record TopColumn(String name, boolean right, int rank, int widest) {
    public static TopColumn text(String name, int rank, int widest) {
        return new TopColumn(name, false, rank, widest);
    }

    public static TopColumn number(String name, int rank) {
        return new TopColumn(name, true, rank, 20);
    }

    /** The last one, which takes what is left. */
    public static TopColumn rest(String name, int rank) {
        return new TopColumn(name, false, rank, 0);
    }

    public boolean isRest() {
        return widest == 0;
    }
}
