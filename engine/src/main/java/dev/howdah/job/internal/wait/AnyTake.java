package dev.howdah.job.internal.wait;

import org.jspecify.annotations.Nullable;

/**
 * The parameters of {@code wait_take_any} in {@code wait.sql}.
 *
 * @param token of the claim
 * @param number of the record if the wait is a new one
 * @param nth which of this name
 * @param signals for each that is waited for, the name of a signal or null
 * @param children for each, a child or null
 * @param time which of them is the time, from 1; null: there is none
 * @param atOnce whether the time of a new wait is over at once
 */
record AnyTake(
        int node,
        long token,
        long job,
        String kind,
        int number,
        String name,
        int nth,
        @Nullable String[] signals,
        @Nullable Long[] children,
        @Nullable Integer time,
        boolean atOnce) {}
