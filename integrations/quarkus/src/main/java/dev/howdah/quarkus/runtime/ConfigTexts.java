package dev.howdah.quarkus.runtime;

import dev.howdah.beans.internal.handler.BeanMethods;
import io.quarkus.runtime.configuration.DurationConverter;
import io.smallrye.common.expression.Expression;
import java.time.Duration;
import org.eclipse.microprofile.config.Config;
import org.eclipse.microprofile.config.ConfigProvider;

/** Texts of annotations with the properties of the application. */
public enum ConfigTexts implements BeanMethods.Texts {
    /** With the values of this start. */
    RUN_TIME;

    @Override
    public String resolve(String text) {
        if (!text.contains("$")) return text;
        Config config = ConfigProvider.getConfig();
        return Expression.compile(text, Expression.Flag.LENIENT_SYNTAX, Expression.Flag.NO_TRIM)
                .evaluate((context, target) -> {
                    var value = config.getOptionalValue(context.getKey(), String.class);
                    if (value.isPresent()) target.append(value.get());
                    else if (context.hasDefault()) context.expandDefault();
                    else
                        throw new IllegalArgumentException(
                                "\"" + text + "\" names the property " + context.getKey() + ", which is not set");
                });
    }

    @Override
    public Duration duration(String text) {
        return DurationConverter.parseDuration(text);
    }
}
