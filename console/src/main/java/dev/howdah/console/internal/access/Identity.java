package dev.howdah.console.internal.access;

import org.jspecify.annotations.Nullable;

/**
 * A login: the name, the role, and the token that it rests on.
 *
 * @param name as the audit table shows it
 * @param token the hash of a token, in hexadecimal; null: it rests on none
 */
record Identity(String name, Role role, @Nullable String token) {}
