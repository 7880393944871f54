package dev.howdah.console.internal.api.event;

/**
 * What became of an object.
 *
 * @param type of the event, such as {@code queue}
 * @param data the object as JSON
 */
record StateEvent(String type, String data) {}
