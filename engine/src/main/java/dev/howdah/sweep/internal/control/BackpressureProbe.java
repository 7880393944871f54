package dev.howdah.sweep.internal.control;

import dev.howdah.internal.connection.DedicatedSession;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The probe that says whether the database can take more work. */
public interface BackpressureProbe {
    /** Always. */
    BackpressureProbe GOOD = session -> null;

    /** Why it should be left alone for a moment; null: it need not. */
    @Nullable
    String complaint(DedicatedSession session) throws SQLException;
}
