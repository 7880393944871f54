package dev.howdah.daemon.console;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** Finds the word that the user probably meant. */
public final class DidYouMean {
    private DidYouMean() {}

    /** The word of {@code known} with the fewest typing errors in {@code word}; none if nothing is close. */
    static Optional<String> to(String word, Collection<String> known) {
        return known.stream()
                .min(Comparator.comparingInt((String k) -> distance(word, k)).thenComparing(Comparator.naturalOrder()))
                .filter(k -> distance(word, k) <= Math.max(2, Math.max(word.length(), k.length()) / 3));
    }

    /** {@code : did you mean "..."?}, or nothing if nothing is close. */
    public static String hint(String word, Collection<String> known) {
        return to(word, known).map(k -> ": did you mean \"" + k + "\"?").orElse("");
    }

    /** Letters to add, drop, replace or swap with their neighbour, at least, to get from one word to the other. */
    static int distance(String from, String to) {
        String a = from.toLowerCase(Locale.ROOT);
        String b = to.toLowerCase(Locale.ROOT);
        int[][] d = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                if (i == 0 || j == 0) {
                    d[i][j] = i + j;
                    continue;
                }
                int same = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
                d[i][j] = Math.min(d[i - 1][j - 1] + same, 1 + Math.min(d[i - 1][j], d[i][j - 1]));
                if (i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1))
                    d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
            }
        }
        return d[a.length()][b.length()];
    }
}
