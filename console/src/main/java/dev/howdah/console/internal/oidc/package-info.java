/** Logins by an OpenID Connect provider: authorization code flow with PKCE, state and nonce. */
@NullMarked
package dev.howdah.console.internal.oidc;

import org.jspecify.annotations.NullMarked;
