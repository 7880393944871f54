package dev.howdah.quarkus.deployment;

import dev.howdah.beans.JobHandler;
import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;

/** Adds a job at each start, whose result is what this source says. */
@ApplicationScoped
public class ReloadedGreeter {
    /** A payload of the application. */
    public record Greeting(String text) {}

    static final Kind<Greeting> GREET = Kind.of("greet", Greeting.class);

    void start(@Observes StartupEvent event, Jobs jobs) {
        jobs.add(GREET, new Greeting("x"));
    }

    @JobHandler("greet")
    String greet(Greeting greeting) {
        return "version 0";
    }
}
