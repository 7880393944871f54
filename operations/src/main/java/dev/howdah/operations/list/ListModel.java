package dev.howdah.operations.list;

import dev.howdah.operations.Engine;
import dev.howdah.operations.Parameter;
import dev.howdah.operations.Role;
import dev.howdah.operations.Values;
import dev.howdah.operations.shape.Field;
import dev.howdah.operations.shape.Shape;
import dev.howdah.operations.value.ChoiceValue;
import dev.howdah.operations.value.WholeValue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A list, as it is declared for all faces. Immutable and safe for use by many threads. */
public final class ListModel<R> {
    private static final int USUAL_ROWS = 50;
    private static final int MOST_ROWS = 500;

    private final Declared<R> declared;
    private final Function<ListCall, ListPage<R>> read;

    private ListModel(Declared<R> declared, Function<ListCall, ListPage<R>> read) {
        this.declared = declared;
        this.read = read;
    }

    /**
     * Declares a list.
     *
     * @param id its name for generated clients, such as {@code listNodes}
     * @param path in the HTTP API, with the names of its key in braces
     * @param help one sentence for the help of the command and the reference of the API
     */
    public static <R> Declared<R> of(String id, String path, String help, ListItem<R> item) {
        return new Declared<>(id, path, help, item);
    }

    /** The declaration of a list. Not safe for use by many threads. */
    public static final class Declared<R> {
        private final String id;
        private final String path;
        private final String help;
        private final ListItem<R> item;
        private String name;
        private String order = "by name";
        private String command = "";
        private Role role = Role.VIEWER;
        private List<Parameter<?>> key = List.of();
        private List<Parameter<?>> beside = List.of();
        private List<Parameter<?>> filters = List.of();
        private Set<Parameter<?>> searches = Set.of();
        private List<Field> facts = List.of();
        private @Nullable Parameter<String> sort;
        private @Nullable Parameter<Integer> limit;
        private boolean isPaged;

        private Declared(String id, String path, String help, ListItem<R> item) {
            this.id = id;
            this.path = path;
            this.help = help;
            this.item = item;
            this.name = item.name() + "s";
        }

        /** The name of the shape of its pages, where it is not that of the rows with an s. */
        public Declared<R> page(String words) {
            name = words;
            return this;
        }

        /** In which order its rows are, where it is not by name and cannot be chosen. */
        public Declared<R> order(String words) {
            order = words;
            return this;
        }

        /** The words of its command. */
        public Declared<R> command(String words) {
            command = words;
            return this;
        }

        /** The role that a caller needs, where it is not a viewer. */
        public Declared<R> role(Role needed) {
            role = needed;
            return this;
        }

        /** The parameters of its path. */
        public Declared<R> key(Parameter<?>... parameters) {
            key = List.of(parameters);
            return this;
        }

        /** More parameters of its key, which are not in its path. */
        public Declared<R> beside(Parameter<?>... parameters) {
            beside = List.of(parameters);
            return this;
        }

        public Declared<R> filters(Parameter<?>... parameters) {
            filters = List.of(parameters);
            return this;
        }

        /** Filters that tell what is in masked texts: a viewer may not use them. */
        public Declared<R> searches(Parameter<?>... parameters) {
            searches = Set.of(parameters);
            return this;
        }

        /** What its pages say besides their rows. */
        public Declared<R> facts(Field... fields) {
            facts = List.of(fields);
            return this;
        }

        /** Its orders; the first is the usual one. */
        public Declared<R> sorted(Parameter<String> parameter) {
            sort = parameter;
            order = "in the order of sort";
            return this;
        }

        /** How many rows are read: usually, and at most. */
        public Declared<R> limit(int usual, int most) {
            limit = Parameter.preset(
                    "limit", new WholeValue(1, most), usual, "How many rows at most; " + usual + " unless given.");
            return this;
        }

        /** A list without pages. */
        public ListModel<R> all(Function<ListCall, List<R>> rows) {
            return new ListModel<>(this, call -> ListPage.of(rows.apply(call)));
        }

        /** A list without pages that says more than its rows. */
        public ListModel<R> whole(Function<ListCall, ListPage<R>> rows) {
            return new ListModel<>(this, rows);
        }

        /**
         * A list with pages.
         *
         * @param rows read up to {@link ListCall#asked} of them, from the place on, in the opposite order if it is read backwards
         * @param place of a row
         */
        public ListModel<R> pages(Function<ListCall, List<R>> rows, Function<R, String> place) {
            return pages(rows, (call, row) -> place.apply(row));
        }

        /** The same with places that depend on the order. */
        public ListModel<R> pages(Function<ListCall, List<R>> rows, BiFunction<ListCall, R, String> place) {
            return searched(call -> {
                ListCall shown = call;
                List<R> found = rows.apply(shown);
                if (call.place().isPastFirst(found, false)) {
                    shown = call.at(ListPlace.FIRST);
                    found = rows.apply(shown);
                }
                ListPlace.Rows<R> page = shown.place().rowsBy(found, shown.limit(), row -> place.apply(call, row));
                return new ListPage<>(page.rows(), page.beside(), Map.of());
            });
        }

        /** A list whose pages say themselves what is beside them. */
        public ListModel<R> searched(Function<ListCall, ListPage<R>> rows) {
            isPaged = true;
            if (limit == null) limit(USUAL_ROWS, MOST_ROWS);
            return new ListModel<>(this, rows);
        }
    }

    /** An order of a list: constants whose first one is the usual order. */
    @SafeVarargs
    public static <E extends Enum<E>> Parameter<String> sort(E... orders) {
        List<String> words = Arrays.stream(orders).map(ListModel::word).toList();
        return Parameter.preset(
                "sort", new ChoiceValue(words), words.get(0), "The order: " + words.get(0) + " unless given.");
    }

    /** The name of a constant as addresses, forms and requests have it: in lower case, with hyphens. */
    public static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    public String id() {
        return declared.id;
    }

    /** In the HTTP API, with the names of its key in braces. */
    public String path() {
        return declared.path;
    }

    public String help() {
        return declared.help;
    }

    public Role role() {
        return declared.role;
    }

    /** The words of its command; empty: it has none. */
    public List<String> command() {
        return declared.command.isEmpty() ? List.of() : List.of(declared.command.split(" ", -1));
    }

    public ListItem<R> item() {
        return declared.item;
    }

    /** The parameters that name what it belongs to. */
    public List<Parameter<?>> key() {
        return declared.key;
    }

    /** More of them, which are not in its path. */
    public List<Parameter<?>> beside() {
        return declared.beside;
    }

    /** Its filters and its order. */
    public List<Parameter<?>> filters() {
        return Stream.concat(declared.filters.stream(), Stream.ofNullable(declared.sort))
                .collect(Collectors.toUnmodifiableList());
    }

    /** The names of the parameters by which its rows are chosen: all but the order and the page. */
    public List<String> choiceNames() {
        return Stream.concat(declared.beside.stream(), declared.filters.stream())
                .map(Parameter::name)
                .toList();
    }

    /** How many rows are read; null: all. */
    public @Nullable Parameter<Integer> limit() {
        return declared.limit;
    }

    public boolean isPaged() {
        return declared.isPaged;
    }

    /** Its order, as the constant of an enum; the first of them is the usual one. */
    public <E extends Enum<E>> E order(ListCall call, Class<E> orders) {
        E chosen = declared.sort == null ? null : call.find(declared.sort, orders);
        return chosen == null ? orders.getEnumConstants()[0] : chosen;
    }

    /** Whether the values of filters leave out rows. */
    public boolean isFiltered(ListCall call) {
        return declared.filters.stream().anyMatch(each -> each.preset() == null && call.find(each) != null);
    }

    /** The names of filters that tell what is in masked texts. */
    public List<String> searches() {
        return declared.searches.stream().map(Parameter::name).toList();
    }

    /** Whether one of these values tells what is in masked texts. */
    public boolean isSearch(Values values) {
        return declared.searches.stream().anyMatch(each -> values.find(each) != null);
    }

    /** A page of it as JSON. */
    public Shape shape() {
        List<Field> fields = new ArrayList<>(declared.facts);
        fields.add(Field.many("items", declared.item.shape(), declared.order));
        if (declared.isPaged) {
            fields.add(Field.NEXT);
            fields.add(Field.PREVIOUS);
        }
        return new Shape(declared.name, fields);
    }

    private Values names(Function<String, @Nullable String> key) {
        return Values.read(
                Stream.concat(declared.key.stream(), declared.beside.stream()).toList(), key);
    }

    /** Reads the texts of the key and of the filters, as {@link #call} does, and returns the values of the filters. */
    public Values check(Function<String, @Nullable String> key, Function<String, @Nullable String> given) {
        names(key);
        return Values.read(filters(), given);
    }

    /**
     * Reads what is asked for from texts.
     *
     * @param key the text of a parameter of the key by its name
     * @param given the text of a filter by its name; null or blank: none
     * @throws IllegalArgumentException if a value is not possible
     */
    public ListCall call(
            Engine engine, Function<String, @Nullable String> key, Function<String, @Nullable String> given) {
        Values names = names(key);
        Values values = Values.read(filters(), given);
        Parameter<Integer> limit = declared.limit;
        int rows = limit == null
                ? Integer.MAX_VALUE
                : Values.read(List.of(limit), given).get(limit);
        ListPlace place =
                declared.isPaged ? new ListPlace(given.apply("after"), given.apply("before")) : ListPlace.FIRST;
        return new ListCall(engine, names, values, place, rows);
    }

    public ListPage<R> read(ListCall call) {
        return read.apply(call);
    }

    @Override
    public String toString() {
        return declared.id;
    }
}
