package dev.howdah.console.internal.web;

import org.jspecify.annotations.Nullable;

/**
 * What the page for logins shows.
 *
 * @param base the path before each link; empty: none
 * @param sentence why it is shown
 * @param next the address that was asked for
 * @param provider the name of the OpenID provider; null: there is none
 */
public record LoginPage(
        String base, String sentence, String next, @Nullable String provider, String css, String icon) {}
