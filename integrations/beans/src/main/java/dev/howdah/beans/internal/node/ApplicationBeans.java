package dev.howdah.beans.internal.node;

import dev.howdah.beans.JobsCustomizer;
import dev.howdah.beans.ProcessesCustomizer;
import dev.howdah.process.Namespace;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The beans of an application that a node uses. */
public interface ApplicationBeans {
    /** What runs in the node of the first data source alone. */
    Set<Class<?>> OF_THE_FIRST = Set.of(JobsCustomizer.class, ProcessesCustomizer.class, Namespace.class);

    /** All of a type, in their order. */
    <T> List<T> all(Class<T> type);

    /** That of a type, if there is no other one. */
    default <T> Optional<T> only(Class<T> type) {
        List<T> all = all(type);
        return all.size() == 1 ? Optional.of(all.get(0)) : Optional.empty();
    }

    /** For a data source that is not the application's first: what is added to a node without naming the data source is added to the first one. */
    default ApplicationBeans ofAnotherDataSource() {
        return new ApplicationBeans() {
            @Override
            public <T> List<T> all(Class<T> type) {
                return OF_THE_FIRST.contains(type) ? List.of() : ApplicationBeans.this.all(type);
            }

            @Override
            public <T> Optional<T> only(Class<T> type) {
                return ApplicationBeans.this.only(type);
            }
        };
    }
}
