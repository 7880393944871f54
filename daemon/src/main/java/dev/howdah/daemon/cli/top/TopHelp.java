package dev.howdah.daemon.cli.top;

import dev.howdah.daemon.cli.top.list.TopView;
import java.util.ArrayList;
import java.util.List;

/** The keys, as a page. */
final class TopHelp {
    private TopHelp() {}

    static List<String> lines(List<TopView> views) {
        List<String> lines = new ArrayList<>();
        StringBuilder titles = new StringBuilder();
        for (TopView each : views) titles.append(titles.isEmpty() ? "" : ", ").append(each.title());
        lines.add("Lists");
        lines.add("  1 to " + views.size() + "       " + titles);
        lines.add("  Tab Right    the next list; Left the one before");
        lines.add("  s            the next state; S the one before");
        lines.add("  /            filter; Enter takes it, Esc drops it");
        lines.add("");
        lines.add("Rows");
        lines.add("  j k Up Down  the next row, the one before; also PgUp, PgDn, Home, End");
        lines.add("  Enter        everything about the row, and why it does not run");
        lines.add("  r            retry: a task, a job, the retries of a queue, a broken process, failed rows");
        lines.add("  c            cancel: a task, a job; stop a sweep");
        lines.add("  p            pause or resume: a queue, that of a job, a sweep");
        lines.add("  Before anything is changed, there is a question: y does it, each other key does not.");
        lines.add("");
        lines.add("Filters");
        for (TopView each : views) lines.add(String.format("  %-12s %s", each.title(), each.filterHelp()));
        lines.add("");
        lines.add("  q Ctrl-C     quit");
        return lines;
    }
}
