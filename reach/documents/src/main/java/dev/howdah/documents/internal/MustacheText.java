package dev.howdah.documents.internal;

import com.samskivert.mustache.Escapers;
import com.samskivert.mustache.Mustache;
import com.samskivert.mustache.MustacheException;
import com.samskivert.mustache.Template;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.math.BigDecimal;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Fills templates with data of JSON. Templates have no logic: values, sections, inverted sections, comments and other templates. A value
 * that is missing is an error, a missing section is left out. No method of a value can be called.
 */
final class MustacheText {
    /** So long a text may become. */
    static final int LONGEST = 4 << 20;

    private static final int MOST_STEPS = 1_000_000;

    private final Map<String, String> others;
    private int steps;

    /** @param others by name, for {@code {{>name}}} */
    MustacheText(Map<String, String> others) {
        this.others = others;
    }

    /** @param html whether values are escaped for HTML */
    String fill(String template, Map<String, Object> data, boolean html) throws RenderException {
        Bounded text = new Bounded();
        try {
            Mustache.compiler()
                    .withEscaper(html ? Escapers.HTML : Escapers.NONE)
                    .withCollector(new JsonCollector())
                    .withFormatter(MustacheText::shown)
                    .withLoader(name -> {
                        String other = others.get(name);
                        if (other == null) throw new MustacheException("there is no template \"" + name + "\"");
                        return new StringReader(other);
                    })
                    .compile(template)
                    .execute(data, text);
            return text.toString();
        } catch (MustacheException.Context e) {
            throw new RenderException("the value \"" + e.key + "\" is missing, in line " + e.lineNo);
        } catch (MustacheException e) {
            throw new RenderException("the template cannot be filled: " + cause(e));
        } catch (UncheckedIOException e) {
            throw new RenderException(cause(e));
        } catch (StackOverflowError e) {
            throw new RenderException("the template uses itself without end, or is nested too deeply");
        }
    }

    private static String cause(RuntimeException e) {
        Throwable deepest = e;
        while (deepest.getCause() != null) deepest = deepest.getCause();
        return String.valueOf(deepest.getMessage());
    }

    /** Numbers as they stand in the JSON. */
    private static String shown(Object value) {
        return value instanceof BigDecimal number ? number.toPlainString() : String.valueOf(value);
    }

    /** Knows maps and lists, and nothing of their classes. */
    private final class JsonCollector implements Mustache.Collector {
        @Override
        public @Nullable Iterator<?> toIterator(Object value) {
            if (!(value instanceof List<?> list)) return null;
            Iterator<?> all = list.iterator();
            return new Iterator<Object>() {
                @Override
                public boolean hasNext() {
                    return all.hasNext();
                }

                @Override
                public Object next() {
                    if (++steps > MOST_STEPS)
                        throw new UncheckedIOException(
                                new IOException("the template takes more than " + MOST_STEPS + " steps"));
                    return all.next();
                }
            };
        }

        @Override
        public Mustache.@Nullable VariableFetcher createFetcher(Object context, String name) {
            return context instanceof Map
                    ? (from, key) -> {
                        Map<?, ?> map = (Map<?, ?>) from;
                        return map.containsKey(key) ? map.get(key) : Template.NO_FETCHER_FOUND;
                    }
                    : null;
        }

        @Override
        public <K, V> Map<K, V> createFetcherCache() {
            return new java.util.concurrent.ConcurrentHashMap<>();
        }
    }

    /** Takes so much and no more. */
    private static final class Bounded extends Writer {
        private final StringBuilder text = new StringBuilder();

        @Override
        public void write(char[] some, int from, int count) {
            if (text.length() + count > LONGEST)
                throw new UncheckedIOException(
                        new IOException("the text becomes longer than " + (LONGEST >> 20) + " MiB"));
            text.append(some, from, count);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}

        @Override
        public String toString() {
            return text.toString();
        }
    }
}
