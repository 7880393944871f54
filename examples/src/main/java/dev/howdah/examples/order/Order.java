package dev.howdah.examples.order;

import dev.howdah.job.Job;
import dev.howdah.job.JobsBuilder;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import dev.howdah.job.wait.Child;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

/** What happens to an order, from its payment to the report. Each line that it writes to the table {@code ledger} is there once. */
public final class Order {
    /** An order is added as a job of this kind, with its number. */
    public static final Kind<Integer> ORDER = Kind.of("order", Integer.class);

    private static final Kind<Parcel> PARCEL = Kind.of("parcel", Parcel.class);
    private static final int PARCELS = 10;

    private record Parcel(int order, int number) {}

    private Order() {}

    /** Gives a program the handlers of orders and of their parcels. */
    public static JobsBuilder handledBy(JobsBuilder program) {
        return program.handle(ORDER, Order::work).handle(PARCEL, Order::pack);
    }

    private static void work(int order, Job job) throws Exception {
        write(job, order, "charge");
        job.sleep("cool down", Duration.ofDays(3));
        boolean approved = job.await("approval", Boolean.class, Duration.ofDays(7))
                .map(signal -> Boolean.TRUE.equals(signal.payload()))
                .orElse(false);
        if (!approved) {
            write(job, order, "refund");
            return;
        }
        List<Child> parcels = job.children(
                "parcel",
                IntStream.rangeClosed(1, PARCELS)
                        .mapToObj(number -> NewJob.of(PARCEL, new Parcel(order, number)))
                        .toList());
        job.awaitChildren(parcels);
        int grams = 0;
        for (Child each : parcels) grams += Objects.requireNonNull(job.awaitChild(each, Integer.class));
        write(job, order, "report " + grams + " g");
    }

    private static void pack(Parcel parcel, Job job) throws Exception {
        write(job, parcel.order(), "parcel " + parcel.number());
        job.result(100 * parcel.number());
    }

    /** The line and the record of the step commit together. */
    private static void write(Job job, int order, String line) throws Exception {
        job.stepInTransaction(line, Integer.class, connection -> {
            try (PreparedStatement insert =
                    connection.prepareStatement("INSERT INTO ledger (purchase, line) VALUES (?, ?)")) {
                insert.setInt(1, order);
                insert.setString(2, line);
                return insert.executeUpdate();
            }
        });
    }
}
