package dev.howdah.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.slf4j.event.SubstituteLoggingEvent;
import org.slf4j.helpers.SubstituteLogger;

class SaidOnceTest {
    /** As the line about connections, which each part of an application that starts processes had in the log. */
    @Test
    void sentence_isLoggedOnce() {
        Queue<SubstituteLoggingEvent> events = new ConcurrentLinkedQueue<>();
        SubstituteLogger log = new SubstituteLogger("processes", events, false);
        for (int i = 0; i < 3; i++) SaidOnce.info(log, "SaidOnceTest: a node keeps 4 connections");
        SaidOnce.info(log, "SaidOnceTest: a node keeps 5 connections");
        assertThat(events)
                .extracting(SubstituteLoggingEvent::getMessage)
                .containsExactly(
                        "SaidOnceTest: a node keeps 4 connections", "SaidOnceTest: a node keeps 5 connections");
    }
}
