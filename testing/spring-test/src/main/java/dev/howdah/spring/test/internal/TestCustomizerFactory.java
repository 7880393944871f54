package dev.howdah.spring.test.internal;

import dev.howdah.spring.test.HowdahSpringTest;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.TestContextAnnotationUtils;

/** Changes the applications of marked tests. */
public final class TestCustomizerFactory implements ContextCustomizerFactory {
    @Override
    public @Nullable ContextCustomizer createContextCustomizer(
            Class<?> test, List<ContextConfigurationAttributes> attributes) {
        HowdahSpringTest marked = TestContextAnnotationUtils.findMergedAnnotation(test, HowdahSpringTest.class);
        return marked == null ? null : new TestCustomizer(marked.ownDatabase());
    }
}
