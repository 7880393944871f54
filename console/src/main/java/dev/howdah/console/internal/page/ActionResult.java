package dev.howdah.console.internal.page;

/**
 * What an action did.
 *
 * @param sentence for people
 * @param next the path of the page that is shown then
 */
public record ActionResult(String sentence, String next) {}
