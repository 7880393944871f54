package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.TestDatabase;
import dev.howdah.fixtures.TestServer;
import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.job.internal.maintain.HistoryCleaner;
import dev.howdah.spi.RetryPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Whoever may create objects in {@code public}, as everybody may before PostgreSQL 15, gets nothing run by nodes with their rights: no
 * operator or function of his, however well it fits.
 */
class JobSearchPathTest {
    private static final Kind<String> WORK = Kind.of("work", String.class);
    private static final Kind<String> OWN = Kind.of("own", String.class);

    /** Operators that fit better than PostgreSQL's own wherever two types differ, and functions for types that it would convert. */
    private static final String TRAPS = """
            CREATE SEQUENCE public.sprung;
            CREATE FUNCTION public.spring(what text) RETURNS boolean LANGUAGE plpgsql AS
            $$ BEGIN PERFORM pg_catalog.nextval('public.sprung'); RAISE 'trap: %', what; END $$;
            DO $$
            DECLARE
                types text[] := '{int2,int4,int8,numeric,float8,text,name,timestamptz,date,interval}';
                l text; r text; op text; result text;
            BEGIN
                FOREACH l IN ARRAY types LOOP
                    FOREACH r IN ARRAY types LOOP
                        EXECUTE format('CREATE FUNCTION public.trap(l %1$s, r %2$s) RETURNS boolean LANGUAGE sql AS $f$ SELECT public.spring(''%1$s %2$s'') $f$', l, r);
                        FOREACH op IN ARRAY '{+,-,*,/,=,<>,<,<=,>,>=,||}'::text[] LOOP
                            CONTINUE WHEN EXISTS (SELECT FROM pg_operator o WHERE o.oprname = op AND o.oprleft = l::regtype AND o.oprright = r::regtype);
                            EXECUTE format('CREATE OPERATOR public.%s (FUNCTION = public.trap, LEFTARG = %s, RIGHTARG = %s)', op, l, r);
                        END LOOP;
                    END LOOP;
                END LOOP;
            END $$;
            CREATE FUNCTION public.substr(name, int) RETURNS text LANGUAGE sql AS $$ SELECT public.spring('substr')::text $$;
            CREATE FUNCTION public.to_char(date, text) RETURNS text LANGUAGE sql AS $$ SELECT public.spring('to_char')::text $$;
            CREATE FUNCTION public.length(name) RETURNS int LANGUAGE sql AS $$ SELECT public.spring('length')::int $$;
            """;

    /** They need types of Howdah's. */
    private static final String MORE_TRAPS = """
            CREATE FUNCTION public.to_jsonb(howdah.migration) RETURNS jsonb LANGUAGE sql AS $$ SELECT to_jsonb(public.spring('to_jsonb')) $$;
            CREATE FUNCTION public.first_limit(int, howdah_internal.queue_limit) RETURNS int LANGUAGE sql AS $$ SELECT public.spring('json_agg')::int $$;
            CREATE AGGREGATE public.json_agg(howdah_internal.queue_limit) (SFUNC = public.first_limit, STYPE = int, INITCOND = 0);
            """;

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void operatorsOfOthers_inThePathOfNodes_areNeverRun(int major) throws SQLException {
        try (TestDatabase database = TestDatabase.create(TestServer.of(major))) {
            database.execute(TRAPS);
            PGSimpleDataSource source = JobsDatabase.source(database.uri());
            try (Connection connection = source.getConnection()) {
                Jobs.install(connection);
                database.execute(MORE_TRAPS);
                Jobs.install(connection);
            }
            try (Jobs jobs = Jobs.on(source)
                    .defaultRetries(RetryPolicy.after(Duration.ofMillis(20)))
                    .handle(WORK, (text, job) -> {
                        if (text.equals("fails")) throw new IllegalStateException(text);
                    })
                    .handleInTransaction(OWN, (text, job, connection) -> {})
                    .start()) {
                work(jobs);
                addAsCaller(jobs, source);
                JobsDatabase.awaitValue(
                        database,
                        "SELECT string_agg(concat(state, ' ', count), ', ' ORDER BY state) FROM"
                                + " (SELECT state, count(*) FROM howdah.jobs WHERE kind <> 'tick' GROUP BY state) s",
                        "cancelled 1, done 7, failed 1");
                JobsDatabase.awaitValue(
                        database,
                        "SELECT count(*) > 0 FROM howdah.jobs WHERE kind = 'tick' AND state = 'waiting'",
                        "t");
                new HistoryCleaner(ConnectionSource.of(source), 0, 0).tidy();
            }
            assertThat(database.value("SELECT is_called FROM public.sprung")).isEqualTo("f");
            // They are traps.
            assertThat(sprung(source)).isTrue();
        }
    }

    /** As a role has it that may make a schema, and calls functions of another role that run with the rights of that. */
    private static final String OF_OTHERS = """
            CREATE TABLE public.shop (a text);
            CREATE TRIGGER told AFTER INSERT OR DELETE ON public.shop FOR EACH ROW EXECUTE FUNCTION howdah.async_trigger('q', 'told');
            CREATE FUNCTION public.enqueue() RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
            BEGIN
                PERFORM howdah.add('q', 'k', pg_catalog.json_build_object('a', 1)), howdah.add('q', 'k'), howdah.add('q', 'k', NULL),
                    howdah.emit('t', 'k', pg_catalog.jsonb_build_object('a', 1)),
                    howdah.schedule('s', 'q', 'k', NULL, '0 3 * * *'), howdah.pause_schedule('s'), howdah.resume_schedule('s');
                PERFORM n.* FROM howdah.next_runs('0 3 * * *', NULL, 1) n;
                UPDATE howdah.schedule SET paused = NULL;
                PERFORM howdah.unschedule('s');
                INSERT INTO public.shop VALUES ('x');
                DELETE FROM public.shop;
            END $$;
            """;

    private static final String EVIL = """
            CREATE SCHEMA evil;
            CREATE TABLE evil.ran (role text, what text);
            CREATE FUNCTION evil.note(what text) RETURNS boolean LANGUAGE plpgsql SET search_path = pg_catalog AS
            $$ BEGIN INSERT INTO evil.ran VALUES (current_user, what); RETURN true; END $$;
            CREATE FUNCTION evil.to_json(anyelement) RETURNS json LANGUAGE plpgsql AS
            $$ BEGIN PERFORM evil.note('to_json'); RETURN pg_catalog.to_json($1); END $$;
            CREATE FUNCTION evil.to_jsonb(anyelement) RETURNS jsonb LANGUAGE plpgsql AS
            $$ BEGIN PERFORM evil.note('to_jsonb'); RETURN pg_catalog.to_jsonb($1); END $$;
            CREATE FUNCTION evil.now() RETURNS timestamptz LANGUAGE plpgsql AS
            $$ BEGIN PERFORM evil.note('now'); RETURN pg_catalog.now(); END $$;
            CREATE FUNCTION evil.equal(text, text) RETURNS boolean LANGUAGE plpgsql AS
            $$ BEGIN PERFORM evil.note('='); RETURN $1 OPERATOR(pg_catalog.=) $2; END $$;
            CREATE OPERATOR evil.= (FUNCTION = evil.equal, LEFTARG = text, RIGHTARG = text);
            CREATE FUNCTION evil.other(text, text) RETURNS boolean LANGUAGE plpgsql AS
            $$ BEGIN PERFORM evil.note('<>'); RETURN $1 OPERATOR(pg_catalog.<>) $2; END $$;
            CREATE OPERATOR evil.<> (FUNCTION = evil.other, LEFTARG = text, RIGHTARG = text);
            CREATE DOMAIN evil.json AS pg_catalog.json CHECK (evil.note('json'));
            CREATE DOMAIN evil.jsonb AS pg_catalog.jsonb CHECK (evil.note('jsonb'));
            """;

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void functionsOfOthers_thatCallOurs_runNothingOfTheirCallers(int major) throws SQLException {
        try (TestDatabase database = TestDatabase.create(TestServer.of(major))) {
            String lowly = database.name() + "_lowly";
            PGSimpleDataSource source = JobsDatabase.source(database.uri());
            try (Connection connection = source.getConnection();
                    Statement statement = connection.createStatement()) {
                Jobs.install(connection);
                statement.execute(OF_OTHERS + "CREATE ROLE " + lowly + "; GRANT CREATE ON DATABASE " + database.name()
                        + " TO " + lowly + "; SET SESSION AUTHORIZATION " + lowly);
                statement.execute(EVIL);
                statement.execute("GRANT ALL ON SCHEMA evil TO PUBLIC; GRANT ALL ON evil.ran TO PUBLIC;"
                        + " SET search_path = evil, pg_catalog, public");
                statement.execute("SELECT public.enqueue()");
                // They would run.
                statement.execute("SELECT to_json(1), now()");
            }
            assertThat(database.value(
                            "SELECT string_agg(DISTINCT what, ' ') FROM evil.ran WHERE role <> '" + lowly + "'"))
                    .isNull();
            assertThat(database.value("SELECT string_agg(DISTINCT what, ' ' ORDER BY what) FROM evil.ran"))
                    .contains("now", "to_json");
            assertThat(database.value("SELECT string_agg(kind, ' ' ORDER BY id) FROM howdah.jobs"))
                    .isEqualTo("k k k told told");
            database.execute("DROP OWNED BY " + lowly + " CASCADE; DROP ROLE " + lowly);
        }
    }

    /** On a connection that has them in its search_path; nothing is left of it. */
    private static void addAsCaller(Jobs jobs, PGSimpleDataSource source) throws SQLException {
        try (Connection connection = source.getConnection()) {
            connection.setAutoCommit(false);
            NewJob<String> job = NewJob.of(WORK, "x").delay(Duration.ofDays(1));
            jobs.add(connection, job);
            jobs.add(connection, NewJob.of(WORK, "5".repeat(10_000)));
            jobs.add(connection, job.key("k"));
            jobs.addAll(connection, Collections.nCopies(3, job));
            jobs.addAll(connection, Collections.nCopies(1_000, job));
            jobs.addAll(connection, List.of(job, job.priority(3), job.orderKey("o")));
            connection.rollback();
        }
    }

    private static void work(Jobs jobs) {
        jobs.admin().setLimit("default", 100);
        jobs.schedule(Schedule.every("s", Duration.ofSeconds(1)), NewJob.of(Kind.of("tick", String.class), "x"));
        jobs.add(WORK, "1");
        jobs.add(OWN, "2");
        jobs.add(NewJob.of(WORK, "3".repeat(10_000)));
        jobs.add(NewJob.of(OWN, "4".repeat(10_000)));
        jobs.add(NewJob.of(WORK, "7").orderKey("o"));
        jobs.add(NewJob.of(OWN, "8").orderKey("o").priority(7));
        jobs.add(NewJob.of(WORK, "fails"));
        long id = jobs.add(NewJob.of(WORK, "9").delay(Duration.ofDays(1))).id();
        jobs.admin().setPriority(id, 9);
        jobs.admin().cancel(id);
        jobs.admin().retry(id);
        jobs.admin()
                .cancel(jobs.add(NewJob.of(WORK, "10").delay(Duration.ofDays(1)))
                        .id());
        jobs.admin().pause("default");
        jobs.admin().resume("default");
        jobs.admin().runRetriesNow("default");
        assertThat(jobs.schedules().all()).hasSize(1);
    }

    private static boolean sprung(PGSimpleDataSource source) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("SELECT 1::bigint * interval '1 s'");
            return false;
        } catch (SQLException e) {
            return String.valueOf(e.getMessage()).contains("trap: int8 interval");
        }
    }
}
