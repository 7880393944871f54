package dev.howdah.examples.agent;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.howdah.job.Job;
import dev.howdah.job.JobsBuilder;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import dev.howdah.job.wait.Child;
import dev.howdah.job.wait.ChildFailedException;
import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.model.chat.request.json.JsonObjectSchema;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What the model may ask for: a quick look is a step, long work is a child, and money needs the word of a person. */
public final class ComplaintTools {
    static final List<ToolSpecification> ALL = List.of(
            tool("find_order", "What was ordered", "order"),
            tool("inspect", "Inspects a parcel of an order; takes minutes", "order", "parcel"),
            tool("refund", "Pays cents of an order back, if a person approves", "order", "cents"));

    private static final Kind<Parcel> INSPECTION = Kind.of("inspection", Parcel.class);
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Shop shop;

    private record Parcel(int order, int number) {}

    public ComplaintTools(Shop shop) {
        this.shop = shop;
    }

    private static ToolSpecification tool(String name, String description, String... numbers) {
        JsonObjectSchema.Builder parameters = JsonObjectSchema.builder().required(numbers);
        for (String each : numbers) parameters.addIntegerProperty(each);
        return ToolSpecification.builder()
                .name(name)
                .description(description)
                .parameters(parameters.build())
                .build();
    }

    JobsBuilder handledBy(JobsBuilder program) {
        return program.handle(
                INSPECTION,
                (parcel, job) ->
                        job.result(shop.ask("inspect", "inspection-" + job.id(), parcel.order(), parcel.number())));
    }

    /** Does what the model asks for in one turn. Inspections run side by side, on any node. */
    List<String> use(List<ToolExecutionRequest> requests, int turn, Job job) throws Exception {
        Map<Integer, Child> inspections = new HashMap<>();
        for (int i = 0; i < requests.size(); i++) {
            ToolExecutionRequest each = requests.get(i);
            if (!each.name().equals("inspect") || wrong(each) != null) continue;
            Parcel parcel = new Parcel(number(each, "order"), number(each, "parcel"));
            inspections.put(i, job.child(each.name() + " " + turn + "." + i, NewJob.of(INSPECTION, parcel)));
        }
        List<String> results = new ArrayList<>();
        for (int i = 0; i < requests.size(); i++) {
            ToolExecutionRequest each = requests.get(i);
            Child inspection = inspections.get(i);
            results.add(
                    inspection != null ? result(inspection, job) : use(each, each.name() + " " + turn + "." + i, job));
        }
        return results;
    }

    /** Null: that can be done. The model reads the other answers, and may ask again. */
    private static @Nullable String wrong(ToolExecutionRequest request) throws JsonProcessingException {
        for (ToolSpecification each : ALL) {
            if (!each.name().equals(request.name())) continue;
            JsonNode arguments = JSON.readTree(request.arguments());
            for (String name : each.parameters().required())
                if (!arguments.path(name).canConvertToInt()) return name + " has to be a whole number.";
            return null;
        }
        return "There is no tool " + request.name() + ".";
    }

    private static String result(Child inspection, Job job) {
        try {
            return Objects.requireNonNull(job.awaitChild(inspection, String.class));
        } catch (ChildFailedException e) {
            // The model may find another way.
            return "The inspection has failed: " + e.getMessage();
        }
    }

    /** @param name by which what it does is recorded, of its place in the conversation */
    private String use(ToolExecutionRequest request, String name, Job job) throws Exception {
        String wrong = wrong(request);
        if (wrong != null) return wrong;
        int order = number(request, "order");
        if (request.name().equals("refund")) return refund(order, number(request, "cents"), name, job);
        return Objects.requireNonNull(
                job.step(name, String.class, () -> shop.ask("orders", "complaint-" + job.id() + "/" + name, order)));
    }

    /** The signal names the place in the conversation: what was approved is this refund, and no later one. */
    private static String refund(int order, int cents, String name, Job job) throws Exception {
        job.step("ask for " + name, Void.class, () -> {
            job.log("Approve \"" + name + "\": " + cents + " cents of order " + order + "?");
            return null;
        });
        boolean approved = job.await(name, Boolean.class, Duration.ofDays(7))
                .map(signal -> Boolean.TRUE.equals(signal.payload()))
                .orElse(false);
        if (!approved) return "A person has refused that.";
        job.stepInTransaction(name, Integer.class, connection -> {
            try (PreparedStatement insert =
                    connection.prepareStatement("INSERT INTO refund (purchase, cents) VALUES (?, ?)")) {
                insert.setInt(1, order);
                insert.setInt(2, cents);
                return insert.executeUpdate();
            }
        });
        return "Paid back.";
    }

    private static int number(ToolExecutionRequest request, String name) throws JsonProcessingException {
        return JSON.readTree(request.arguments()).path(name).asInt();
    }
}
