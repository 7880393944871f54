package dev.howdah.benchmarks;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.howdah.Database;
import dev.howdah.benchmarks.peer.HowdahPeer;
import dev.howdah.job.Jobs;
import dev.howdah.job.NewJob;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/**
 * 400,000 jobs that only count, added in steps of 5,000 and drained by 1, 2, 4 and 8 programs, each a process of its own: what the server uses for each job. And
 * 1,000 jobs that are added one by one, 200 a second, with one program that works them. Inputs of {@code benchmarks/run scaling}.
 */
final class ClientProcesses implements Scenario {
    private static final int JOBS = Integer.getInteger("howdah.clients.jobs", 400_000);
    private static final int STEP = 5_000;
    private static final List<Integer> PROCESSES = List.of(1, 2, 4, 8);
    private static final int SINGLE = 1_000;
    private static final String LEFT = "SELECT EXISTS (SELECT FROM howdah_internal.job)"
            + " OR EXISTS (SELECT FROM howdah_internal.batch WHERE ended IS NULL)";

    /** A program of its own that works jobs, or adds them. */
    private record Client(Process process, BufferedReader out) {
        static Client start(Database database, String... command) throws IOException {
            Database.HostPort server = database.hosts().get(0);
            List<String> line = new ArrayList<>(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-XX:TieredStopAtLevel=1",
                    "-Xmx512m",
                    "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
                    "-cp",
                    System.getProperty("java.class.path"),
                    HowdahPeer.class.getName()));
            line.addAll(List.of(command));
            ProcessBuilder builder = new ProcessBuilder(line).redirectError(ProcessBuilder.Redirect.INHERIT);
            builder.environment().put("PGHOST", server.host());
            builder.environment().put("PGPORT", Integer.toString(server.port()));
            builder.environment().put("PGDATABASE", database.database());
            builder.environment().put("PGUSER", database.user());
            Process process = builder.start();
            return new Client(
                    process,
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)));
        }

        void awaitLine(String begin) throws IOException {
            for (String line = out.readLine(); !begin.equals(line); line = out.readLine())
                if (line == null) throw new IOException("a client has ended before it said " + begin);
        }

        JsonNode end() throws IOException {
            process.getOutputStream().write('\n');
            process.getOutputStream().flush();
            return result();
        }

        JsonNode result() throws IOException {
            for (String line = out.readLine(); line != null; line = out.readLine())
                if (line.startsWith("RESULT ")) return new ObjectMapper().readTree(line.substring("RESULT ".length()));
            throw new IOException("a client has ended without a result");
        }
    }

    @Override
    public String name() {
        return "clients";
    }

    @Override
    public void run(Bench bench) throws Exception {
        for (int round = 1; round <= bench.rounds(); round++) {
            for (int count : PROCESSES) {
                Figures figures = new Figures();
                add(bench, figures);
                drain(bench, count, figures);
                bench.print(count + " processes", round, figures);
            }
            bench.print("one by one", round, single(bench));
        }
    }

    private static void add(Bench bench, Figures figures) throws Exception {
        DataSource source = JobScenarios.source(bench.daemon().database());
        try (Jobs jobs = Jobs.on(source).start()) {
            Usage before = bench.usage();
            for (long from = 0; from < JOBS; from += STEP) {
                List<NewJob<Long>> step = new ArrayList<>(STEP);
                for (long i = from; i < from + STEP; i++) step.add(NewJob.of(JobScenarios.WORK, i));
                jobs.addAll(step);
            }
            Usage used = bench.usage().minus(before);
            figures.put("add_server_us", used.serverSeconds() * 1e6 / JOBS)
                    .put("add_wal_bytes", (double) used.walBytes() / JOBS);
        }
        bench.execute("VACUUM (ANALYZE) howdah_internal.job");
        bench.execute("CHECKPOINT");
    }

    private static void drain(Bench bench, int count, Figures figures) throws Exception {
        Usage before = bench.usage();
        List<Client> clients = new ArrayList<>();
        for (int i = 0; i < count; i++) clients.add(Client.start(bench.daemon().database(), "work", "--max", "50"));
        for (Client each : clients) each.awaitLine("START");
        long began = System.nanoTime();
        while (bench.value(Boolean.class, LEFT)) Bench.pause(Duration.ofMillis(20));
        double seconds = (System.nanoTime() - began) / 1e9;
        Usage used = bench.usage().minus(before);
        long connections =
                bench.value(Long.class, "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'howdah-peer'");
        long done = 0;
        double client = 0;
        for (Client each : clients) {
            JsonNode result = each.end();
            done += result.get("done").asLong();
            client += result.get("client_cpu").asDouble();
        }
        if (done != JOBS) throw new IllegalStateException(done + " jobs were done of " + JOBS);
        figures.put("processes", count)
                .put("jobs", JOBS)
                .put("jobs_per_s", JOBS / seconds)
                .put("server_cpu_s", used.serverSeconds())
                .put("client_cpu_s", client)
                .put("wal_bytes", (double) used.walBytes() / JOBS)
                .put("connections", connections);
    }

    private static Figures single(Bench bench) throws Exception {
        Database database = bench.daemon().database();
        Client worker = Client.start(database, "work", "--max", "50");
        worker.awaitLine("START");
        Client producer = Client.start(
                database, "produce", "--count", Integer.toString(SINGLE), "--rate", "200", "--warm", "200");
        producer.awaitLine("START");
        Usage before = bench.usage();
        JsonNode produced = producer.result();
        while (bench.value(Boolean.class, LEFT)) Bench.pause(Duration.ofMillis(20));
        Usage used = bench.usage().minus(before);
        worker.end();
        return new Figures()
                .put("jobs", SINGLE)
                .put("jobs_per_s", produced.get("rate").asDouble())
                .put("server_cpu_us", used.serverSeconds() * 1e6 / SINGLE)
                .put("wal_bytes", (double) used.walBytes() / SINGLE);
    }
}
