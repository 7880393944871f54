package dev.howdah.sweep.internal.control;

import java.time.Duration;

/**
 * A pause that the receiver of rows has asked for; it holds for all processes of a sweep.
 *
 * @param why what it has said
 * @param length from now on
 */
public record ReceiverPause(String why, Duration length) {}
