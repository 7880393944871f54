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
 * @param others for each, the id of a job that is no child, or null
 * @param topics for each, the topic of an event or null
 * @param keys their keys
 * @param filters JSON that their payloads contain, or null
 * @param onlyNew for each, whether events of before a new wait do not count
 * @param looked when the database looked first in this run; null: it has not
 * @param time which of them is the time, from 1; null: there is none
 * @param micros how long a new wait may last
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
        @Nullable Long[] others,
        @Nullable String[] topics,
        @Nullable String[] keys,
        @Nullable String[] filters,
        Boolean[] onlyNew,
        @Nullable String looked,
        @Nullable Integer time,
        long micros,
        boolean atOnce) {}
