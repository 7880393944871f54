package dev.howdah.job.internal.insert;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** A job that is to be written together with others, and then its id or why it was refused. */
class PendingInsert {
    private long id;
    private @Nullable SQLException failure;

    private @Nullable InsertRow row;

    PendingInsert(@Nullable InsertRow row) {
        this.row = row;
    }

    InsertRow row() {
        InsertRow known = row;
        if (known == null) throw new IllegalStateException("the job is not ready to be written");
        return known;
    }

    void row(InsertRow ready) {
        row = ready;
    }

    long id() {
        return id;
    }

    @Nullable
    SQLException failure() {
        return failure;
    }

    void added(long number) {
        id = number;
    }

    void failed(SQLException why) {
        failure = why;
    }
}
