package dev.howdah.process.query;

/** A process as it is now, see {@link ProcessEvents}. */
public record ProcessEvent(String namespace, ProcessSummary process) {}
