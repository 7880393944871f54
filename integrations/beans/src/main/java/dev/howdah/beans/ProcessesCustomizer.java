package dev.howdah.beans;

import dev.howdah.process.ProcessesBuilder;

/** A bean that sets more of the node of processes than properties do, such as namespaces with publishers. Called at each start of the node. */
@FunctionalInterface
public interface ProcessesCustomizer {
    /** Sets something of the builder of the node. */
    void customize(ProcessesBuilder builder);
}
