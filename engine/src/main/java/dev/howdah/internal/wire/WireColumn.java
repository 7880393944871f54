package dev.howdah.internal.wire;

/** A column of a result, as described by the server. */
public record WireColumn(String name, int typeOid) {}
