package dev.howdah.daemon.cli.top.list;

import java.util.List;

/**
 * A row of a list.
 *
 * @param place where the object is: the queue of a job, the namespace of a process; empty for others
 * @param id of the object, unique in its place
 * @param cells one for each column
 */
public record TopRow(String place, String id, TopTone tone, List<String> cells) {
    public boolean isSame(TopRow other) {
        return place.equals(other.place) && id.equals(other.id);
    }

    public long number() {
        return Long.parseLong(id);
    }
}
