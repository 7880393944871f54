package dev.howdah.internal.node;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Parts of one feature in one node: what only calls processes has its place beside what runs them. */
class NodeMembersTest {
    private final Object worker = new Object();
    private final Object caller = new Object();
    private final NodeMembers members = new NodeMembers(1, worker, "process");

    @Test
    void part_thatLeavesTwice_takesNoOtherPlace() {
        members.expect(caller, "process");
        members.remove(caller, null);
        // Its leave was not answered, and is tried again.
        members.remove(caller, null);
        assertThat(members.features()).containsExactly("process");
        members.remove(worker, null);
        assertThat(members.features()).isEmpty();
    }

    @Test
    void features_areAnotherArrayAfterAChangeOnly() {
        String[] first = members.features();
        members.remove(caller, null);
        assertThat(members.features()).isSameAs(first);
        members.expect(caller, "process");
        assertThat(members.features()).containsExactly("process", "process").isNotSameAs(first);
    }
}
