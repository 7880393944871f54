package dev.howdah.benchmarks.faults;

import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * What the command line says.
 *
 * @param scenarios to run, in this order
 * @param seed of everything that is left to chance
 * @param amount rounds or seconds, instead of what is usual for the scenario
 * @param shortly a fifth of what is usual
 */
record Options(
        List<Scenario> scenarios, long seed, @Nullable Integer amount, boolean shortly) {
    /** @throws IllegalArgumentException with what is wrong, for a person to read */
    static Options parse(List<String> arguments) {
        List<Scenario> scenarios = new ArrayList<>();
        long seed = RandomGenerator.getDefault().nextLong(1_000_000);
        Integer amount = null;
        boolean shortly = false;
        for (int i = 0; i < arguments.size(); i++) {
            String word = arguments.get(i);
            switch (word) {
                case "--short" -> shortly = true;
                case "--seed" -> seed = number(arguments, ++i, word);
                case "--rounds", "--seconds" -> amount = (int) Math.min(number(arguments, ++i, word), 100_000);
                default -> scenarios.add(Scenario.of(word));
            }
        }
        return new Options(scenarios.isEmpty() ? List.of(Scenario.values()) : scenarios, seed, amount, shortly);
    }

    private static long number(List<String> arguments, int i, String flag) {
        String value = i < arguments.size() ? arguments.get(i) : "nothing";
        if (value.matches("\\d{1,18}")) return Long.parseLong(value);
        throw new IllegalArgumentException(flag + " takes a number, not " + value);
    }

    int amount(Scenario scenario) {
        if (amount != null) return amount;
        return shortly ? Math.max(scenario.usual / 5, 1) : scenario.usual;
    }
}
