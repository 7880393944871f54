package dev.howdah.benchmarks;

import java.sql.SQLException;

/** The invoice that is made: a table, a picture, and Cyrillic. */
final class ReachTemplates {
    private static final String PICTURE =
            "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mNk+M9Qz0AEYBxVSF+FAAhKDveksOjmAAAAAElFTkSuQmCC";

    private ReachTemplates() {}

    static void make(Bench bench) throws SQLException {
        bench.execute("""
                SELECT howdah.template('invoice', $t$<html><head><style>
                @page { size: A4; margin: 2cm; @bottom-right { content: counter(page) " / " counter(pages) } }
                body { font-family: sans-serif; font-size: 10pt } table { width: 100%; border-collapse: collapse }
                th { text-align: left; border-bottom: 1pt solid #1a4f8a } td, th { padding: 3pt }
                </style></head><body><img src="PICTURE" width="60" height="60"/><h1>Счёт № {{number}}</h1><p>{{name}}</p>
                <table><tr><th>Услуга</th><th>Сумма, €</th></tr>
                {{#lines}}<tr><td>{{what}}</td><td>{{price}}</td></tr>{{/lines}}</table></body></html>$t$)
                """.replace("PICTURE", PICTURE));
    }

    /** The input of the task {@code i}, as SQL. */
    static String input() {
        return "jsonb_build_object('template', 'invoice', 'data', jsonb_build_object('number', i, 'name', 'Клиент ' || i, 'lines',"
                + " (SELECT jsonb_agg(jsonb_build_object('what', 'Телефон ' || n, 'price', 19.90 + n + i)) FROM generate_series(1, 12) n)))";
    }
}
