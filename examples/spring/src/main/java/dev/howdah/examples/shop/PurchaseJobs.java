package dev.howdah.examples.shop;

import dev.howdah.job.Job;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import dev.howdah.job.wait.Child;
import dev.howdah.spring.JobHandler;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.stereotype.Component;

/** A purchase that lasts for days: charged, cooled down, approved, packed in ten parcels and reported. Its method waits without a thread. */
@Component
class PurchaseJobs {
    static final Kind<Integer> PURCHASE = Kind.of("purchase", Integer.class);
    private static final Kind<Parcel> PARCEL = Kind.of("parcel", Parcel.class);
    private static final int PARCELS = 10;

    record Parcel(int purchase, int number) {}

    /** Not {@code transactional}, and not in a method with {@code @Transactional}: a transaction would be open for as long as it waits. */
    @JobHandler("purchase")
    void purchase(Integer number, Job job) throws Exception {
        write(job, number, "charge");
        job.sleep("cool down", Duration.ofDays(3));
        boolean approved = job.await("approval", Boolean.class, Duration.ofDays(7))
                .map(signal -> Boolean.TRUE.equals(signal.payload()))
                .orElse(false);
        if (!approved) {
            write(job, number, "refund");
            return;
        }
        List<Child> parcels = job.children(
                "parcel",
                IntStream.rangeClosed(1, PARCELS)
                        .mapToObj(each -> NewJob.of(PARCEL, new Parcel(number, each)))
                        .toList());
        job.awaitChildren(parcels);
        int grams = 0;
        for (Child each : parcels) {
            Integer weight = job.awaitChild(each, Integer.class);
            grams += weight == null ? 0 : weight;
        }
        write(job, number, "report " + grams + " g");
    }

    @JobHandler("parcel")
    void parcel(Parcel parcel, Job job) throws Exception {
        write(job, parcel.purchase(), "parcel " + parcel.number());
        job.result(100 * parcel.number());
    }

    /** The line and the record of the step commit together. */
    private static void write(Job job, int purchase, String line) throws Exception {
        job.stepInTransaction(
                line,
                Integer.class,
                connection -> new JdbcTemplate(new SingleConnectionDataSource(connection, true))
                        .update("INSERT INTO ledger (purchase, line) VALUES (?, ?)", purchase, line));
    }
}
