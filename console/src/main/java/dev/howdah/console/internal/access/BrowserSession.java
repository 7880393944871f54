package dev.howdah.console.internal.access;

import dev.howdah.operations.Role;
import java.time.Instant;

/**
 * A session of a browser, without what the browser shows for it.
 *
 * @param number by which it is ended, counted since the program was started
 * @param name of its login, as the audit table has it
 * @param role as it was at the login
 * @param address from which it was opened
 * @param begun when it was opened
 * @param used when something was asked for last
 */
public record BrowserSession(long number, String name, Role role, String address, Instant begun, Instant used) {}
