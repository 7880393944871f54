package dev.howdah.console.internal.workflow;

import dev.howdah.console.internal.view.StateBadge;
import dev.howdah.job.workflow.WorkflowJob;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A workflow as a picture: each job right of those that it waits for; numbers for an SVG.
 *
 * @param boxes of the jobs
 * @param lines from jobs to those that wait for them
 */
public record WorkflowDrawing(List<Box> boxes, List<Line> lines, int width, int height) {
    /** A workflow of more jobs is shown as a table only. */
    static final int MOST = 200;

    private static final int BOX_WIDTH = 150;
    private static final int BOX_HEIGHT = 28;
    private static final int ACROSS = 200;
    private static final int DOWN = 40;
    private static final int MARGIN = 10;
    private static final int LETTERS = 18;

    /** A job. */
    public record Box(int x, int y, WorkflowJob job) {
        public int width() {
            return BOX_WIDTH;
        }

        public int height() {
            return BOX_HEIGHT;
        }

        /** Its name, cut where it is too long for the box. */
        public String label() {
            String name = job.name();
            return name.length() <= LETTERS ? name : name.substring(0, LETTERS - 1) + "…";
        }

        public String tone() {
            return StateBadge.of(job.state()).tone();
        }
    }

    /** That a job waits for another one. */
    public record Line(int x1, int y1, int x2, int y2) {}

    static WorkflowDrawing of(List<WorkflowJob> jobs) {
        if (jobs.size() > MOST) return new WorkflowDrawing(List.of(), List.of(), 0, 0);
        Map<String, WorkflowJob> byName = new HashMap<>();
        for (WorkflowJob each : jobs) byName.put(each.name(), each);
        Map<String, Integer> levels = new HashMap<>();
        Map<Integer, Integer> filled = new HashMap<>();
        Map<String, Box> boxes = new HashMap<>();
        List<Box> ordered = new ArrayList<>();
        int deepest = 0;
        int most = 0;
        for (WorkflowJob each : jobs) {
            int level = level(each, byName, levels, jobs.size());
            int row = filled.merge(level, 1, Integer::sum) - 1;
            Box box = new Box(MARGIN + level * ACROSS, MARGIN + row * DOWN, each);
            boxes.put(each.name(), box);
            ordered.add(box);
            deepest = Math.max(deepest, level);
            most = Math.max(most, row + 1);
        }
        List<Line> lines = new ArrayList<>();
        for (Box to : ordered)
            for (String name : to.job().after()) {
                Box from = boxes.get(name);
                if (from != null)
                    lines.add(
                            new Line(from.x() + BOX_WIDTH, from.y() + BOX_HEIGHT / 2, to.x(), to.y() + BOX_HEIGHT / 2));
            }
        return new WorkflowDrawing(
                ordered, lines, deepest * ACROSS + BOX_WIDTH + 2 * MARGIN, Math.max(1, most) * DOWN + MARGIN);
    }

    /** How many jobs stand before it in the longest row; there are no circles, but nothing here depends on that. */
    private static int level(WorkflowJob job, Map<String, WorkflowJob> byName, Map<String, Integer> levels, int left) {
        Integer known = levels.get(job.name());
        if (known != null || left == 0) return known == null ? 0 : known;
        int level = 0;
        for (String each : job.after()) {
            WorkflowJob before = byName.get(each);
            if (before != null) level = Math.max(level, level(before, byName, levels, left - 1) + 1);
        }
        levels.put(job.name(), level);
        return level;
    }
}
