package dev.howdah.console.internal.settings;

import java.net.URI;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the program says of itself.
 *
 * @param version of Howdah; empty: unpacked
 * @param label of the environment; null: none
 * @param provider by which people log in; null: none
 * @param isSweepStarter whether sweeps can be started
 * @param given the settings of the program that may be shown, in their order
 */
public record ProgramSettings(
        String version,
        @Nullable String label,
        @Nullable URI provider,
        boolean isSweepStarter,
        Map<String, String> given) {}
