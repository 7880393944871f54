/**
 * Who may do what: the caller of a request, by a session, a token or neither; the role that a route needs; the checks of each
 * request against pages from elsewhere.
 *
 * <p>{@link dev.howdah.console.internal.access.RequestGuard} checks a request before anything else and leaves its {@link
 * dev.howdah.console.internal.access.Caller} in the context. A route names the {@link dev.howdah.operations.Role} that
 * it needs, as a role of Javalin; one without is for those who may see pages.
 */
@NullMarked
package dev.howdah.console.internal.access;

import org.jspecify.annotations.NullMarked;
