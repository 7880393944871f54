package dev.howdah.operations.store;

/** The order of rows of the audit table. */
public enum AuditOrder {
    NEWEST,
    OLDEST
}
