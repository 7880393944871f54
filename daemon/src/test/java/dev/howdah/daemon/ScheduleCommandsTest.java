package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code howdah job schedule}. */
@PostgresTest
@Tag("long")
class ScheduleCommandsTest {
    private static final Pattern RUN = Pattern.compile("\\{\"run_at\":\"([^\"]+)\"}\n");

    private final TestDatabase database;

    ScheduleCommandsTest(TestDatabase database) {
        this.database = database;
    }

    @BeforeEach
    void install() {
        CommandLineRun.installJobs(database);
    }

    private CommandLineRun run(String... words) {
        List<String> all = new ArrayList<>(List.of("job", "schedule"));
        all.addAll(List.of(words));
        all.addAll(3, List.of("--url", database.uri()));
        return CommandLineRun.of("", Map.of("HOME", "/nonexistent"), all.toArray(String[]::new));
    }

    private String schedule(String... words) {
        CommandLineRun run = run(words);
        assertThat(run.exitCode()).as(run.err()).isZero();
        return run.out();
    }

    private String wrong(int exitCode, String... words) {
        CommandLineRun run = run(words);
        assertThat(run.exitCode()).as(run.out() + run.err()).isEqualTo(exitCode);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).startsWith("howdah: ").hasLineCount(1);
        return run.err();
    }

    private static List<Instant> times(String json) {
        return RUN.matcher(json)
                .results()
                .map((MatchResult found) -> Instant.parse(found.group(1)))
                .toList();
    }

    @Test
    void put_ofCronAndPeriod_storesAllOfIt() {
        assertThat(schedule(
                        "put",
                        "report",
                        "welcome",
                        "{\"a\": 1}",
                        "--cron",
                        "30 3 * * *",
                        "--zone",
                        "Europe/Berlin",
                        "--queue",
                        "mail",
                        "--priority",
                        "-3",
                        "--missed",
                        "all",
                        "--overlap",
                        "queue_one",
                        "--jitter",
                        "10 min",
                        "--catch-up",
                        "2 days",
                        "--from",
                        "2030-01-01 00:00:00Z"))
                .isEqualTo("stored\n");
        assertThat(schedule("put", "poll", "poll", "--period", "10 s")).isEqualTo("stored\n");
        database.execute("SELECT howdah.add_holidays('berlin', '{2030-12-25}')");
        schedule(
                "put",
                "keyed",
                "poll",
                "--cron",
                "@daily",
                "--key",
                "k",
                "--tag",
                "eu",
                "--calendar",
                "berlin",
                "--on-holiday",
                "next_day",
                "--skipped-hour",
                "skip",
                "--doubled-hour",
                "both");
        assertThat(database.value(
                        "SELECT concat_ws(' ', key, calendar, on_holiday, skipped_hour, doubled_hour, options)"
                                + " FROM howdah.schedule WHERE name = 'keyed'"))
                .isEqualTo("k berlin next_day skip both {\"tags\": [\"eu\"]}");
        assertThat(schedule("next", "keyed", "--count", "1", "--json")).hasLineCount(1);
        assertThat(wrong(2, "next", "keyed", "--calendar", "berlin")).contains("are for --cron");
        schedule("remove", "keyed");
        assertThat(schedule("list", "--json"))
                .hasLineCount(2)
                .contains(
                        "{\"name\":\"poll\",\"queue\":\"default\",\"kind\":\"poll\",\"payload\":null,\"priority\":0,\"key\":null,",
                        "\"period\":\"PT10S\",\"zone\":null,\"missed\":\"once\",\"overlap\":\"allow\",\"jitter\":null,")
                .contains(
                        "{\"name\":\"report\",\"queue\":\"mail\",\"kind\":\"welcome\",\"payload\":{\"a\":1},\"priority\":-3,",
                        "\"cron\":\"30 3 * * *\",\"period\":null,\"zone\":\"Europe/Berlin\",\"missed\":\"all\","
                                + "\"overlap\":\"queue_one\",\"jitter\":\"PT10M\",\"catch_up\":\"PT48H\",");
        assertThat(schedule("list")).containsPattern("name.*queue.*cron").containsSubsequence("poll", "report");
        assertThat(database.value("SELECT starts_at = '2030-01-01Z' AND payload ->> 'a' = '1' FROM howdah.schedule"
                        + " WHERE name = 'report'"))
                .isEqualTo("t");
        schedule("put", "poll", "poll", "--cron", "@daily");
        assertThat(database.value("SELECT cron FROM howdah.schedule WHERE name = 'poll'"))
                .isEqualTo("@daily");
    }

    @Test
    void next_ofASchedule_areItsTimes() {
        schedule("put", "daily", "k", "--cron", "0 12 * * *", "--from", "2040-06-30 10:00:00Z");
        assertThat(times(schedule("next", "daily", "--count", "2", "--json")))
                .containsExactly(Instant.parse("2040-06-30T12:00:00Z"), Instant.parse("2040-07-01T12:00:00Z"));
        schedule("put", "later", "k", "--period", "90 min", "--from", "2040-06-30 10:00:00Z");
        assertThat(times(schedule("next", "later", "--count", "3", "--json")))
                .containsExactly(
                        Instant.parse("2040-06-30T10:00:00Z"),
                        Instant.parse("2040-06-30T11:30:00Z"),
                        Instant.parse("2040-06-30T13:00:00Z"));
        schedule("put", "begun", "k", "--period", "1 day", "--from", "2020-02-03 04:05:06.000007Z");
        List<Instant> times = times(schedule("next", "begun", "--json"));
        assertThat(times).hasSize(10).isSorted();
        assertThat(database.value(
                        "SELECT '" + times.get(0) + "' BETWEEN now() - interval '1 h' AND now() + interval '1 day'"))
                .isEqualTo("t");
        assertThat(times).allSatisfy(each -> assertThat(each.toString()).endsWith("T04:05:06.000007Z"));
        assertThat(schedule("next", "begun", "--count", "1")).contains("run_at", ":06.000007", "(1 row)");
    }

    @Test
    void next_ofACron_areThoseInItsZone() {
        assertThat(times(schedule("next", "--cron", "0 12 1 7 *", "--zone", "Europe/Berlin", "--json")))
                .hasSize(10)
                .allSatisfy(each -> assertThat(each.toString()).endsWith("-07-01T10:00:00Z"));
        assertThat(schedule("next", "--cron", "@yearly", "--count", "1000")).contains("(1000 rows)");
    }

    @Test
    void run_ofASchedule_addsAJob() {
        schedule("put", "s", "k", "{\"a\": 1}", "--cron", "@yearly", "--queue", "mail");
        schedule("pause", "s");
        assertThat(schedule("run-now", "s")).isEqualTo("Job 1 of schedule s was added.\n");
        assertThat(schedule("run-now", "s", "--json")).isEqualTo("{\"changed\":true,\"id\":2}\n");
        assertThat(database.query("SELECT id, queue, kind, payload FROM howdah.jobs"))
                .hasToString("[[1, mail, k, {\"a\": 1}], [2, mail, k, {\"a\": 1}]]");
    }

    @Test
    void pauseResumeRemove_doSo() {
        schedule("put", "s", "k", "--cron", "@daily");
        assertThat(schedule("pause", "s")).isEqualTo("Schedule s is paused.\n");
        assertThat(schedule("pause", "s")).isEqualTo("Schedule s was paused already.\n");
        assertThat(database.value("SELECT paused IS NOT NULL FROM howdah.schedule"))
                .isEqualTo("t");
        CommandLineRun next = run("next", "s");
        assertThat(next.exitCode()).isZero();
        assertThat(next.err()).isEqualTo("schedule s is paused: it adds no job until it is resumed\n");
        assertThat(next.out()).contains("(10 rows)");
        assertThat(schedule("resume", "s")).isEqualTo("Schedule s goes on.\n");
        assertThat(schedule("resume", "s", "--json")).isEqualTo("{\"changed\":false}\n");
        assertThat(database.value("SELECT paused IS NULL FROM howdah.schedule")).isEqualTo("t");
        database.execute("UPDATE howdah.schedule SET error = 'the moon is full'");
        assertThat(wrong(1, "next", "s")).contains("schedule s cannot be kept: the moon is full");
        assertThat(schedule("remove", "s")).isEqualTo("Schedule s is removed.\n");
        for (String gone : List.of("pause", "resume", "remove", "next"))
            assertThat(wrong(1, gone, "s")).contains("there is no schedule \"s\"");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            1 | put,s,k,{no,--cron,@daily             | invalid input syntax for type json
            1 | put,s,k,--cron,99 * * * *             | schedule s: the minute field is '99'; it takes 0 to 59
            1 | put,s,k,--cron,@daily,--zone,Mars     | schedule s: there is no zone 'Mars'
            1 | put,s,k,--cron,@daily,--missed,twice  | schedule s: missed is 'twice'; Hint: skip, once or all
            1 | put,s,k,--cron,@daily,--overlap,none  | schedule s: overlap is 'none'; Hint: allow, skip, queue_one or cancel_old
            1 | put,s,k,--cron,@daily,--jitter,25 h   | schedule s: a jitter of 25:00:00 cannot be kept
            1 | put,s,k,--cron,@daily,--catch-up,1 y  | schedule s: a catch_up of 1 year cannot be kept
            1 | run-now,s                             | there is no schedule "s"
            1 | put,s,k,--period,1 month              | schedule s: a period of 1 mon cannot be kept
            1 | put,s,k,--cron,@daily,--priority,101  | a priority of 101: it has to be from -100 to 100
            2 | put,s,k                               | schedule s: it needs either --cron or --period
            2 | put,s,k,--cron,@daily,--period,1 h    | schedule s: it needs either --cron or --period
            2 | put,s                                 | missing KIND
            1 | next,--cron,* * *                     | cron '* * *': it has 3 fields
            1 | next,--cron,@daily,--zone,UTC+3       | there is no zone 'UTC+3'
            2 | next                                  | either the NAME of a schedule is needed, or --cron
            2 | next,s,--cron,@daily                  | either the NAME of a schedule is needed, or --cron
            2 | next,s,--zone,UTC                     | --zone UTC: it is for --cron, the schedule s has its own
            2 | next,s,--count,0                      | --count has to be from 1 to 1000, not 0
            2 | next,s,--count,1001                   | --count has to be from 1 to 1000, not 1001
            2 | next,s,--count,x                      | --count has to be a number, not "x"
            """)
    void input_wrong_isRefusedInOneLine(int exitCode, String words, String error) {
        assertThat(wrong(exitCode, words.split(","))).contains(error);
    }

    @Test
    void calendar_thatCannotBeChanged_isRefused() {
        assertThat(calendar(1, "remove", "berlin", "--all")).contains("there is no calendar \"berlin\"");
        assertThat(calendar(1, "remove", "berlin", "2030-01-01")).contains("there is no calendar \"berlin\"");
        assertThat(calendar(2, "add", "berlin", "2030-02-30"))
                .contains("DAYS has to be a day such as 2026-12-25, not \"2030-02-30\"");
        assertThat(calendar(2, "add", "berlin")).contains("missing DAYS");
        assertThat(database.value("SELECT count(*) FROM howdah.holiday")).isEqualTo("0");
    }

    private String calendar(int exitCode, String... words) {
        List<String> all = new ArrayList<>(List.of("job", "calendar"));
        all.addAll(List.of(words));
        all.addAll(List.of("--url", database.uri()));
        CommandLineRun run = CommandLineRun.of("", Map.of("HOME", "/nonexistent"), all.toArray(String[]::new));
        assertThat(run.exitCode()).as(run.out() + run.err()).isEqualTo(exitCode);
        return run.err();
    }

    @Test
    void command_missing_isSaid() {
        CommandLineRun run = CommandLineRun.of("", Map.of("HOME", "/nonexistent"), "job", "schedule");
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("a command is missing: next, put, list, jobs, run-now, pause, resume, remove");
    }
}
