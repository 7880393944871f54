package dev.howdah.internal.connection;

/**
 * A data source that looks at the threads which use its connections, such as one of a test or one that tells the database for whom a thread works:
 * those that want a connection get it, use it and close it themselves. None of them is in a transaction of an application server.
 */
public interface CallerThreadSource {}
