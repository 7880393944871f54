package dev.howdah.sweep;

import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Marks rows whose work is done, come what may. */
final class Marks {
    private Marks() {}

    /** Where some cannot be marked, all others are; those have failed, and are not worked on again unless somebody says so. */
    static void mark(WorkSession session, List<Key> keys, Desk desk) throws SQLException, InterruptedException {
        WorkSession.Marked marked;
        while (true) {
            try {
                marked = session.mark(keys);
                break;
            } catch (SQLException e) {
                if (Failures.isLost(e)) throw e;
                // Somebody else changes the row just now. No statement waits for that for long: its snapshot would grow
                // old.
                if (Failures.isPassing(e) && !desk.control().isEnding()) {
                    TimeUnit.MILLISECONDS.sleep(50);
                    continue;
                }
                if (keys.size() == 1) {
                    desk.giveUp(session, keys.get(0), "worked on, but not marked: " + Failures.text(e));
                    return;
                }
                mark(session, keys.subList(0, keys.size() / 2), desk);
                mark(session, keys.subList(keys.size() / 2, keys.size()), desk);
                return;
            }
        }
        desk.marked(session, marked);
    }
}
