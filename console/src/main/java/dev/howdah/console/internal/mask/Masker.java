package dev.howdah.console.internal.mask;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * Replaces secrets in texts by {@code ***}: passwords in URLs and connection strings, values of keys such as {@code password} and
 * {@code token} in JSON and in {@code key=value}, credentials of HTTP headers, tokens of Howdah, private keys, numbers of payment cards,
 * and what rules of one's own match. Immutable and safe for use by many threads.
 */
public final class Masker {
    /** What stands in the place of a secret. */
    public static final String MASK = "***";

    private static final String NAMES =
            "pass(?:word|wd|phrase)|passwd|\\bpwd|\\bpass\\b|secret(?!ar)|token(?!s)|api[-_]?key|authorization"
                    + "|cookie|private[-_]?key|(?<!dis)card[-_]?(?:number|no)?\\b|iban|\\bcv[vc]\\b|\\bssn\\b";

    private static final Pattern URL =
            Pattern.compile("(://[^\\s/@:\"'<>]{0,200}:)(?!\\d{1,5}(?:[/?#,]|$))[^\\s/@\"'<>]{1,500}(?:@|…?$)");
    private static final Pattern CREDENTIALS = Pattern.compile("(?i)\\b(bearer|basic)\\s+[A-Za-z0-9._~+/=-]{8,}");
    private static final Pattern TOKEN = Pattern.compile("\\bhd_[0-9a-f]{40}\\b");
    private static final Pattern PRIVATE_KEY = Pattern.compile(
            "-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[^-]{0,20000}(?:-----END [A-Z ]{0,30}PRIVATE KEY-----)?");
    /** Of 15 or 16 digits, as the large payment systems have them; whether the check digit fits is asked as well. */
    private static final Pattern CARD = Pattern.compile(
            "(?<![\\w.-])(?:4\\d{3}|5[1-5]\\d{2}|2[2-7]\\d{2}|3[47]\\d{2}|6011|65\\d{2})(?:[ -]?\\d){11,12}(?![\\w-])");

    private static final int LONGEST = 1_000_000;

    private final Pattern jsonKey;
    private final Pattern plainKey;
    private final List<String> ownKeys;
    private final List<Pattern> own;

    private Masker(String names, List<String> ownKeys, List<Pattern> own) {
        this.ownKeys = List.copyOf(ownKeys);
        this.jsonKey =
                Pattern.compile("\"[^\"\\\\\\n]{0,100}?(?i:" + names + ")[^\"\\\\\\n]{0,100}\"\\s{0,20}:\\s{0,20}");
        this.plainKey = Pattern.compile(
                "(?i)(?<![\\w\"])(?:[\\w-]{0,40}[-_.])?(?:" + names
                        + ")[\\w-]{0,40}\\s{0,5}=\\s{0,5}(?!=)('(?:[^'\\\\]|\\\\.|''){0,2000}'|\"[^\"]{0,2000}\"|[^\\s'\"&;,)]+)");
        this.own = own;
    }

    /** With the rules that hold without configuration. */
    public static Masker standard() {
        return new Masker(NAMES, List.of(), List.of());
    }

    /**
     * With further rules.
     *
     * @param keys names of keys, or parts of them, in any case
     * @param patterns regular expressions; what they match is masked
     * @throws IllegalArgumentException if one is no regular expression
     */
    public static Masker with(List<String> keys, List<String> patterns) {
        StringBuilder names = new StringBuilder(NAMES);
        for (String key : keys) names.append('|').append(Pattern.quote(key));
        List<Pattern> own = new ArrayList<>();
        for (String each : patterns) {
            try {
                own.add(Pattern.compile(each));
            } catch (PatternSyntaxException e) {
                throw new IllegalArgumentException(
                        "\"" + each + "\" is no regular expression: " + e.getDescription(), e);
            }
        }
        return new Masker(names.toString(), keys, List.copyOf(own));
    }

    /** The names of keys that were added to those that hold without configuration. */
    public List<String> ownKeys() {
        return ownKeys;
    }

    /** How many regular expressions were added. They are not told: one may hold a part of a secret. */
    public int ownPatterns() {
        return own.size();
    }

    /** Returns whether the value of a key of that name is a secret as a whole. */
    public boolean isSecretKey(String name) {
        return jsonKey.matcher("\"" + name.replace('"', ' ') + "\":").find();
    }

    /** The text without its secrets; a text of more than a million characters is cut there. */
    public String text(String text) {
        if (text.length() < 6) return text;
        String masked = text.length() > LONGEST ? text.substring(0, LONGEST) + "…" : text;
        if (masked.indexOf('"') >= 0) masked = values(masked);
        if (masked.indexOf('=') >= 0) masked = replaced(plainKey, masked, 1);
        if (masked.contains("://")) masked = URL.matcher(masked).replaceAll("$1" + MASK + "@");
        masked = CREDENTIALS.matcher(masked).replaceAll("$1 " + MASK);
        if (masked.contains("hd_")) masked = TOKEN.matcher(masked).replaceAll(MASK);
        if (masked.contains("-----BEGIN")) masked = PRIVATE_KEY.matcher(masked).replaceAll(MASK);
        masked = cards(masked);
        for (Pattern each : own) masked = each.matcher(masked).replaceAll(MASK);
        return masked;
    }

    private static String replaced(Pattern pattern, String text, int group) {
        Matcher matcher = pattern.matcher(text);
        StringBuilder masked = new StringBuilder();
        int from = 0;
        while (matcher.find()) {
            masked.append(text, from, matcher.start(group)).append(MASK);
            from = matcher.end(group);
        }
        return masked.append(text, from, text.length()).toString();
    }

    /** Masks the values of secret keys of JSON, at any depth, also of JSON that is cut off. */
    private String values(String text) {
        Matcher key = jsonKey.matcher(text);
        StringBuilder masked = new StringBuilder();
        int from = 0;
        while (key.find(from)) {
            masked.append(text, from, key.end());
            from = end(text, key.end());
            masked.append('"').append(MASK).append('"');
        }
        return masked.append(text, from, text.length()).toString();
    }

    /** The end of the JSON value that begins there. */
    private static int end(String text, int start) {
        int depth = 0;
        for (int i = start; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"') {
                i = stringEnd(text, i);
                if (depth == 0) return Math.min(i + 1, text.length());
            } else if (c == '{' || c == '[') {
                depth++;
            } else if (c == '}' || c == ']') {
                if (depth == 0) return i;
                if (--depth == 0) return i + 1;
            } else if (depth == 0 && (c == ',' || c == '\n')) {
                return i;
            }
        }
        return text.length();
    }

    /** The closing quote of the string that begins there. */
    private static int stringEnd(String text, int quote) {
        for (int i = quote + 1; i < text.length(); i++) {
            if (text.charAt(i) == '\\') i++;
            else if (text.charAt(i) == '"') return i;
        }
        return text.length();
    }

    private static String cards(String text) {
        Matcher matcher = CARD.matcher(text);
        if (!matcher.find()) return text;
        StringBuilder masked = new StringBuilder();
        do {
            String digits = matcher.group().replaceAll("\\D", "");
            matcher.appendReplacement(masked, Matcher.quoteReplacement(hasCheckDigit(digits) ? MASK : matcher.group()));
        } while (matcher.find());
        return matcher.appendTail(masked).toString();
    }

    /** The formula of Luhn. */
    private static boolean hasCheckDigit(String digits) {
        int sum = 0;
        for (int i = 0; i < digits.length(); i++) {
            int digit = digits.charAt(digits.length() - 1 - i) - '0';
            int weighted = i % 2 == 0 ? digit : digit * 2;
            sum += weighted > 9 ? weighted - 9 : weighted;
        }
        return sum % 10 == 0;
    }
}
