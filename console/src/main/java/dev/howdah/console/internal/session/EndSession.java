package dev.howdah.console.internal.session;

import dev.howdah.console.internal.page.ActionRequest;
import dev.howdah.console.internal.page.ActionResult;
import dev.howdah.console.internal.page.BadRequestException;
import dev.howdah.console.internal.page.NotFoundException;
import dev.howdah.console.internal.page.PageAction;
import dev.howdah.console.internal.view.Texts;
import dev.howdah.health.DatabaseSession;
import dev.howdah.health.SessionEnd;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.locks.LockSupport;

/** Cancels the statement of a session, or ends the session: the one that the page has shown, and no later one that has got its pid. */
final class EndSession implements PageAction {
    private static final Duration MOMENT = Duration.ofSeconds(1);
    private static final Duration LOOK = Duration.ofMillis(20);

    private final SessionList sessions;
    private final SessionEnd how;

    EndSession(SessionList sessions, SessionEnd how) {
        this.sessions = sessions;
        this.how = how;
    }

    private static int pid(ActionRequest request) {
        String text = request.page().name("pid");
        if (!text.matches("\\d{1,9}")) throw new NotFoundException("There is no session \"" + text + "\".");
        return Integer.parseInt(text);
    }

    private static Instant started(ActionRequest request) {
        String text = request.field("started");
        try {
            if (text != null) return Instant.parse(text);
        } catch (DateTimeException e) {
            // Said below.
        }
        throw new BadRequestException(
                "Nothing was ended: started has to be the time at which the session began, such as"
                        + " 2026-11-25T14:00:00.123456Z, not \"" + (text == null ? "" : text) + "\".");
    }

    @Override
    public String question(ActionRequest request) {
        DatabaseSession session = sessions.find(pid(request), started(request));
        if (session == null) throw new NotFoundException(gone(pid(request)));
        String query = Texts.line(session.query());
        String does = query.isEmpty() ? "" : " Its last statement: " + query;
        return how == SessionEnd.TERMINATE
                ? "End " + SessionText.whole(session)
                        + "? Its transaction is rolled back, and its connection is closed." + does
                : "Cancel the statement of " + SessionText.whole(session)
                        + "? The session stays; if it runs no statement now, nothing happens." + does;
    }

    @Override
    public ActionResult run(ActionRequest request) {
        int pid = pid(request);
        Instant started = started(request);
        String said;
        if (!sessions.end(pid, started, how)) said = gone(pid);
        else if (how == SessionEnd.CANCEL)
            said = "PostgreSQL was asked to cancel the statement of session " + pid + ".";
        else if (hasEnded(pid, started)) said = "Session " + pid + " has ended.";
        else said = "PostgreSQL was asked to end session " + pid + ", which has not ended yet.";
        return new ActionResult(said, "/database");
    }

    /** Whether the session ends within a moment, as one does that is not in the middle of something. */
    private boolean hasEnded(int pid, Instant started) {
        long until = System.nanoTime() + MOMENT.toNanos();
        while (sessions.find(pid, started) != null) {
            if (System.nanoTime() > until) return false;
            LockSupport.parkNanos(LOOK.toNanos());
        }
        return true;
    }

    private static String gone(int pid) {
        return "There is no session " + pid + " that began then: it has ended.";
    }
}
