package dev.howdah.task.internal.quota;

import dev.howdah.internal.sql.SqlErrors;
import java.sql.SQLException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The server has run out of something, such as room on its disk: no row is to blame, and what could not be written is written
 * later. Says so now and then. Belongs to the scheduler's thread.
 */
public final class ResourceShortage {
    private static final Logger log = LoggerFactory.getLogger(ResourceShortage.class);
    private static final Duration BETWEEN = Duration.ofSeconds(10);

    private long toldAt = System.nanoTime() - BETWEEN.toNanos();

    /** Returns whether that is why a statement failed; then it was noticed. */
    public boolean isBehind(SQLException e) {
        if (!SqlErrors.isOutOfResources(e) && !SqlErrors.isSystemError(e)) return false;
        if (System.nanoTime() - toldAt >= BETWEEN.toNanos()) {
            toldAt = System.nanoTime();
            log.warn(
                    "what becomes of tasks cannot be written now and is tried again: {}",
                    String.valueOf(e.getMessage()).lines().findFirst().orElse(""));
        }
        return true;
    }
}
