/**
 * The console: tasks, jobs, processes, sweeps and the database in a browser. {@link dev.howdah.console.Console} serves it on a
 * port of its own, from any {@link javax.sql.DataSource}.
 *
 * <p>A page is a controller in {@code internal.page}, registered in {@code ConsolePages}, and a template in {@code src/main/jte}. A
 * controller names the parts of its page; each part is read and rendered by itself, when the page is asked for and, while a
 * browser watches it, after each change in the database.
 */
@NullMarked
package dev.howdah.console;

import org.jspecify.annotations.NullMarked;
