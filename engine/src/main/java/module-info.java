/**
 * Asynchronous work for PostgreSQL: {@linkplain dev.howdah.task tasks}, {@linkplain dev.howdah.job jobs}, {@linkplain
 * dev.howdah.process processes} and {@linkplain dev.howdah.sweep sweeps}.
 *
 * <p>A program on the module path opens the packages of its payload types to {@code com.fasterxml.jackson.databind}, unless it
 * has a {@link dev.howdah.spi.PayloadCodec} of its own.
 */
module dev.howdah {
    requires transitive java.sql;
    requires java.naming;
    requires java.net.http;
    requires jdk.net;
    requires com.fasterxml.jackson.core;
    requires transitive com.fasterxml.jackson.databind;
    requires com.ongres.scram.client;
    requires org.postgresql.jdbc;
    requires org.slf4j;
    requires static org.jspecify;
    // Optional: where a program has OpenTelemetry, the context of a trace goes with a job.
    requires static io.opentelemetry.api;
    requires static io.opentelemetry.context;

    exports dev.howdah;
    exports dev.howdah.health;
    exports dev.howdah.job;
    exports dev.howdah.job.history;
    exports dev.howdah.job.limit;
    exports dev.howdah.job.log;
    exports dev.howdah.job.query;
    exports dev.howdah.job.shard;
    exports dev.howdah.job.unique;
    exports dev.howdah.job.wait;
    exports dev.howdah.job.workflow;
    exports dev.howdah.process;
    exports dev.howdah.process.client;
    exports dev.howdah.process.command;
    exports dev.howdah.process.notice;
    exports dev.howdah.process.query;
    exports dev.howdah.spi;
    exports dev.howdah.spi.reach;
    exports dev.howdah.sweep;
    exports dev.howdah.task;
    exports dev.howdah.internal.connection to
            dev.howdah.console,
            dev.howdah.daemon,
            dev.howdah.operations,
            dev.howdah.testkit;
    // The driver makes objects of classes that a connection's properties name.
    exports dev.howdah.internal.conninfo to
            dev.howdah.spring,
            org.postgresql.jdbc;
    exports dev.howdah.internal.error to
            dev.howdah.console,
            dev.howdah.daemon,
            dev.howdah.operations;
    exports dev.howdah.internal.http to
            dev.howdah.console,
            dev.howdah.daemon,
            dev.howdah.reach;
    exports dev.howdah.internal.json to
            dev.howdah.console,
            dev.howdah.daemon,
            dev.howdah.operations;
    exports dev.howdah.internal.pause to
            dev.howdah.daemon;
    exports dev.howdah.internal.run to
            dev.howdah.console,
            dev.howdah.daemon,
            dev.howdah.reach;
    exports dev.howdah.internal.schedule to
            dev.howdah.daemon;
    exports dev.howdah.internal.sql to
            dev.howdah.console,
            dev.howdah.daemon,
            dev.howdah.operations,
            dev.howdah.reach,
            dev.howdah.testkit;
    exports dev.howdah.internal.text to
            dev.howdah.console,
            dev.howdah.daemon,
            dev.howdah.operations,
            dev.howdah.reach,
            dev.howdah.testkit;
    exports dev.howdah.internal.trace to
            dev.howdah.micronaut,
            dev.howdah.quarkus,
            dev.howdah.reach,
            dev.howdah.spring;
    exports dev.howdah.internal.wire to
            dev.howdah.daemon;
}
