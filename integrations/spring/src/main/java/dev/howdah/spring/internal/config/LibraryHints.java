package dev.howdah.spring.internal.config;

import dev.howdah.beans.JobHandler;
import dev.howdah.beans.JobSchedule;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;

/** What a native image has to know of the library: its SQL, and what it calls by reflection. */
final class LibraryHints implements RuntimeHintsRegistrar {
    private static final List<Class<?>> PROXIES = List.of(
            Connection.class,
            Statement.class,
            PreparedStatement.class,
            CallableStatement.class,
            // The annotations of all frameworks, which stand for those of Spring.
            JobHandler.class,
            JobSchedule.class);

    /** The driver makes them, by the name in a property of the connection. */
    private static final List<String> SOCKETS =
            List.of("dev.howdah.internal.conninfo.LiveSockets", "dev.howdah.internal.conninfo.PromptSockets");

    private static final List<String> OPEN_TELEMETRY =
            List.of("io.opentelemetry.api.trace.Span", "io.opentelemetry.context.Context");

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
        hints.resources().registerPattern("dev/howdah/**/*.sql");
        for (Class<?> each : PROXIES) hints.proxies().registerJdkProxy(each);
        // The size of the pool is asked for, and a connection that has ended is taken out of it.
        hints.reflection()
                .registerTypeIfPresent(
                        loader, "com.zaxxer.hikari.HikariDataSource", MemberCategory.INVOKE_PUBLIC_METHODS);
        hints.reflection()
                .registerType(TypeReference.of("java.lang.Thread$Builder"), MemberCategory.INVOKE_PUBLIC_METHODS);
        for (String each : SOCKETS)
            hints.reflection().registerType(TypeReference.of(each), MemberCategory.INVOKE_PUBLIC_CONSTRUCTORS);
        // Whether they are there decides whether there are spans.
        for (String each : OPEN_TELEMETRY) hints.reflection().registerTypeIfPresent(loader, each);
    }
}
