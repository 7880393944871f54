package dev.howdah.daemon;

import java.util.List;
import java.util.SplittableRandom;

/** Mutated texts from samples: the same for the same seed on every machine. */
final class Fuzz {
    private static final String ODD =
            "\0\u0001\t\n\r \"'\\$;:/?#[]{}()=&%@,*-+.eE\u007F\u009B\u202E\uD800\uDC00\uFFFF\u00E4";
    private static final int INPUTS = 20_000;

    private final SplittableRandom random;
    private final List<String> samples;

    private Fuzz(long seed, List<String> samples) {
        this.random = new SplittableRandom(seed);
        this.samples = samples;
    }

    /** Takes one input, and throws what no input may cause. */
    interface Target {
        void take(String input) throws Exception;
    }

    /** Runs a fixed number of inputs, or as long as {@code howdah.fuzz.seconds} says. */
    static void run(List<String> samples, Target target) {
        long seed = Long.getLong("howdah.fuzz.seed", 1);
        long seconds = Long.getLong("howdah.fuzz.seconds", 0);
        long end = System.nanoTime() + seconds * 1_000_000_000L;
        Fuzz fuzz = new Fuzz(seed, samples);
        for (long i = 0; seconds > 0 ? System.nanoTime() < end : i < INPUTS; i++) {
            String input = fuzz.next();
            try {
                target.take(input);
            } catch (Exception | StackOverflowError | OutOfMemoryError e) {
                throw new AssertionError("seed " + seed + ", input " + i + ": " + visible(input), e);
            }
        }
    }

    private static String visible(String input) {
        StringBuilder text = new StringBuilder();
        input.chars().limit(500).forEach(c -> text.append(c >= ' ' && c < 127 ? (char) c : '?'));
        return text.toString();
    }

    private String next() {
        StringBuilder text = new StringBuilder(sample());
        for (int changes = random.nextInt(6); changes >= 0; changes--) change(text);
        return text.toString();
    }

    private String sample() {
        return samples.get(random.nextInt(samples.size()));
    }

    private void change(StringBuilder text) {
        int from = random.nextInt(text.length() + 1);
        int to = Math.min(text.length(), from + random.nextInt(8));
        switch (random.nextInt(6)) {
            case 0 -> text.delete(from, to);
            case 1 -> text.insert(from, ODD.charAt(random.nextInt(ODD.length())));
            case 2 -> text.insert(from, (char) random.nextInt(0x3000));
            case 3 -> text.insert(from, text.substring(from, to).repeat(1 + random.nextInt(20)));
            case 4 -> text.insert(from, random.nextLong());
            default -> {
                String other = sample();
                int at = random.nextInt(other.length() + 1);
                text.replace(from, to, other.substring(at));
            }
        }
    }
}
