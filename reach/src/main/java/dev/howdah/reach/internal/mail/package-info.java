/** Tasks that are mails: {@code smtp://} and {@code smtps://}. */
@NullMarked
package dev.howdah.reach.internal.mail;

import org.jspecify.annotations.NullMarked;
