package dev.howdah.daemon.cli.top;

import dev.howdah.daemon.cli.top.TopKey.Kind;
import dev.howdah.daemon.cli.top.list.TopAction;
import dev.howdah.daemon.cli.top.list.TopPage;
import dev.howdah.daemon.cli.top.list.TopRow;
import dev.howdah.daemon.cli.top.list.TopVerb;
import dev.howdah.daemon.cli.top.list.TopView;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jline.utils.AttributedString;
import org.jspecify.annotations.Nullable;

/** What is shown, and what keys change of it. Not safe for use by many threads. */
final class TopScreen {
    /** What the keys are for. */
    enum Mode {
        LIST,
        FILTER,
        QUESTION,
        DETAILS,
        HELP
    }

    /** What keys ask for. */
    interface Requests {
        void show(TopQuery query);

        void details(TopView view, TopRow row);

        void prepare(TopView view, TopVerb verb, TopRow row);

        void run(TopAction action);
    }

    private static final int LONGEST_FILTER = 200;

    /** Lines of a terminal that are no rows of the list. */
    private static final int OTHER_LINES = 4;

    /** The state of a list, kept while another one is shown. */
    private static final class Place {
        private int state;
        private String filter = "";
        private TopPage page = TopPage.READING;
        private int selected;
        private int first;
    }

    private final List<TopView> views;
    private final List<Place> places = new ArrayList<>();
    private final Requests requests;
    private int current;
    private int width = 80;
    private int height = 24;
    private Mode mode = Mode.LIST;
    private String typed = "";
    private String said = "";
    private @Nullable String failure;
    private @Nullable TopAction asked;
    private List<String> text = List.of();
    private List<String> lines = List.of();
    private int firstLine;
    private boolean interrupted;

    TopScreen(List<TopView> views, Requests requests) {
        this.views = List.copyOf(views);
        this.requests = requests;
        for (TopView ignored : views) places.add(new Place());
    }

    int width() {
        return width;
    }

    int height() {
        return height;
    }

    Mode mode() {
        return mode;
    }

    List<TopView> views() {
        return views;
    }

    TopView view() {
        return views.get(current);
    }

    TopPage page() {
        return place().page;
    }

    /** The number of rows that fit. */
    int rows() {
        return Math.max(1, height - OTHER_LINES);
    }

    int first() {
        return place().first;
    }

    int selected() {
        return place().selected;
    }

    String filter() {
        return mode == Mode.FILTER ? typed : place().filter;
    }

    String state() {
        List<String> states = view().states();
        return states.isEmpty() ? "" : states.get(place().state);
    }

    /** The sentence of the last line; empty: the keys are shown there. */
    String said() {
        TopAction action = asked;
        return action == null ? said : action.question() + " (y/n)";
    }

    /** Why nothing can be read; null: it can. */
    @Nullable
    String failure() {
        return failure;
    }

    /** The lines of the details or the help that are seen. */
    List<String> lines() {
        int last = Math.min(lines.size(), firstLine + Math.max(1, height - 2));
        return lines.subList(Math.min(firstLine, last), last);
    }

    boolean hasMoreLines() {
        return firstLine + Math.max(1, height - 2) < lines.size();
    }

    private Place place() {
        return places.get(current);
    }

    /** Whether it ended by Ctrl-C. */
    boolean wasInterrupted() {
        return interrupted;
    }

    /** Asks for what is shown. */
    void show() {
        requests.show(new TopQuery(view(), state(), place().filter, rows()));
    }

    /** Takes an event; false: it was the last one. */
    boolean take(TopEvent event) {
        if (event instanceof TopEvent.Quit quit) {
            interrupted = quit.interrupted();
            return false;
        }
        if (event instanceof TopEvent.Pressed pressed) return press(pressed.key());
        if (event instanceof TopEvent.Resized resized) resize(resized);
        else if (event instanceof TopEvent.Read read) read(read);
        else if (event instanceof TopEvent.Details details) open(Mode.DETAILS, details.lines());
        else if (event instanceof TopEvent.Asked it) ask(it.action());
        else if (event instanceof TopEvent.Said it) said = it.sentence();
        else if (event instanceof TopEvent.Failed it) failure = it.sentence();
        return true;
    }

    private void resize(TopEvent.Resized to) {
        boolean others = to.height() != height;
        width = to.width();
        height = to.height();
        lines = wrapped(text, width);
        scrollTo(firstLine);
        if (others) {
            moveTo(place().selected);
            show();
        }
    }

    private void read(TopEvent.Read read) {
        failure = null;
        Place place = place();
        TopQuery query = read.query();
        if (query.view() != view()
                || !query.state().equals(state())
                || !query.filter().equals(place.filter)) return;
        TopRow before = selectedRow();
        place.page = read.page();
        int same = -1;
        for (int i = 0; before != null && i < place.page.rows().size(); i++)
            if (place.page.rows().get(i).isSame(before)) same = i;
        moveTo(same < 0 ? place.selected : same);
    }

    private void ask(TopAction action) {
        if (action.question().isEmpty()) {
            requests.run(action);
            return;
        }
        asked = action;
        mode = Mode.QUESTION;
    }

    private void open(Mode as, List<String> shown) {
        mode = as;
        text = shown;
        lines = wrapped(shown, width);
        firstLine = 0;
        said = "";
    }

    private static List<String> wrapped(List<String> text, int width) {
        List<String> lines = new ArrayList<>();
        for (String each : text)
            for (AttributedString line : new AttributedString(each).columnSplitLength(width))
                lines.add(line.toString());
        return lines;
    }

    @Nullable
    TopRow selectedRow() {
        List<TopRow> rows = place().page.rows();
        return place().selected < rows.size() ? rows.get(place().selected) : null;
    }

    private boolean press(TopKey key) {
        if (key.kind() == Kind.INTERRUPT) {
            interrupted = true;
            return false;
        }
        return switch (mode) {
            case LIST -> list(key);
            case FILTER -> typing(key);
            case QUESTION -> answer(key);
            case DETAILS, HELP -> reading(key);
        };
    }

    private boolean list(TopKey key) {
        said = "";
        switch (key.kind()) {
            case UP -> moveTo(place().selected - 1);
            case DOWN -> moveTo(place().selected + 1);
            case PAGE_UP -> moveTo(place().selected - rows());
            case PAGE_DOWN -> moveTo(place().selected + rows());
            case HOME -> moveTo(0);
            case END -> moveTo(Integer.MAX_VALUE);
            case RIGHT, TAB -> choose(current + 1);
            case LEFT -> choose(current - 1);
            case ENTER -> withRow(row -> requests.details(view(), row));
            case ESCAPE -> filterBy("");
            case CHARACTER -> {
                return character(key.character());
            }
            case BACKSPACE, INTERRUPT -> {}
        }
        return true;
    }

    private boolean character(int c) {
        if (c == 'q') return false;
        if (c >= '1' && c < '1' + views.size()) choose(c - '1');
        else if (c == 'j') moveTo(place().selected + 1);
        else if (c == 'k') moveTo(place().selected - 1);
        else if (c == 's') nextState(1);
        else if (c == 'S') nextState(-1);
        else if (c == '/') {
            typed = place().filter;
            mode = Mode.FILTER;
        } else if (c == '?' || c == 'h') open(Mode.HELP, TopHelp.lines(views));
        else {
            TopVerb verb = TopVerb.of(c);
            if (verb != null) withRow(row -> requests.prepare(view(), verb, row));
            else said = "? lists the keys.";
        }
        return true;
    }

    private void withRow(Consumer<TopRow> work) {
        TopRow row = selectedRow();
        if (row == null) said = "No row is selected.";
        else work.accept(row);
    }

    private void choose(int view) {
        current = Math.floorMod(view, views.size());
        show();
    }

    private void nextState(int step) {
        int states = view().states().size();
        if (states == 0) {
            said = view().title() + " are not listed by state.";
            return;
        }
        place().state = Math.floorMod(place().state + step, states);
        begin();
    }

    private void filterBy(String text) {
        if (text.equals(place().filter)) return;
        place().filter = text;
        begin();
    }

    /** Other rows will be shown, from the first one on. */
    private void begin() {
        place().page = TopPage.READING;
        place().selected = 0;
        place().first = 0;
        show();
    }

    private void moveTo(int row) {
        Place place = place();
        int last = Math.max(0, place.page.rows().size() - 1);
        place.selected = Math.max(0, Math.min(last, row));
        if (place.selected < place.first) place.first = place.selected;
        if (place.selected >= place.first + rows()) place.first = place.selected - rows() + 1;
        place.first = Math.max(0, Math.min(place.first, last + 1 - Math.min(last + 1, rows())));
    }

    private boolean typing(TopKey key) {
        switch (key.kind()) {
            case ENTER -> {
                mode = Mode.LIST;
                filterBy(typed.strip());
            }
            case ESCAPE -> mode = Mode.LIST;
            case BACKSPACE -> {
                if (!typed.isEmpty()) typed = typed.substring(0, typed.offsetByCodePoints(typed.length(), -1));
            }
            case CHARACTER -> {
                if (typed.length() < LONGEST_FILTER) typed += Character.toString(key.character());
            }
            default -> {}
        }
        return true;
    }

    private boolean answer(TopKey key) {
        TopAction action = asked;
        asked = null;
        mode = Mode.LIST;
        if (action != null && key.kind() == Kind.CHARACTER && (key.character() == 'y' || key.character() == 'Y'))
            requests.run(action);
        else said = "Nothing was changed.";
        return true;
    }

    private boolean reading(TopKey key) {
        int page = Math.max(1, height - 3);
        switch (key.kind()) {
            case UP -> scrollTo(firstLine - 1);
            case DOWN -> scrollTo(firstLine + 1);
            case PAGE_UP -> scrollTo(firstLine - page);
            case PAGE_DOWN -> scrollTo(firstLine + page);
            case HOME -> scrollTo(0);
            case END -> scrollTo(Integer.MAX_VALUE);
            case CHARACTER -> {
                if (key.character() == 'j') scrollTo(firstLine + 1);
                else if (key.character() == 'k') scrollTo(firstLine - 1);
                else if (key.character() == ' ') scrollTo(firstLine + page);
                else mode = Mode.LIST;
            }
            default -> mode = Mode.LIST;
        }
        return true;
    }

    private void scrollTo(int line) {
        firstLine = Math.max(0, Math.min(line, lines.size() - Math.max(1, height - 2)));
    }
}
