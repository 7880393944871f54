package dev.howdah.examples.desk;

import dev.howdah.job.Kind;

/** What the job of an order gets. */
record Confirmation(long order) {
    static final Kind<Confirmation> KIND = Kind.of("confirm", Confirmation.class);
}
