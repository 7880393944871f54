package dev.howdah.reach.internal.ssh;

import dev.howdah.reach.internal.call.ReachFailure;
import dev.howdah.reach.internal.call.ReachFailure.Code;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * How the shell of a device is spoken to.
 *
 * @param prompt the end of what it writes when it waits for a line
 * @param first lines that it gets before those of the task
 * @param pager what it writes when it waits for a key in the middle of an answer
 * @param refused a line of an answer that says that a line was not understood
 * @param leave the line that ends the session
 */
record Device(Pattern prompt, List<String> first, Pattern pager, Pattern refused, String leave) {
    private static final Pattern MORE = Pattern.compile(" *-+ ?\\(?[Mm]ore\\b[^\\n]{0,40}$");
    private static final Map<String, Device> ALL = Map.of(
            "ios",
                    new Device(
                            Pattern.compile("(?:^|\\n)[\\w.()/:@-]{1,64}[>#] ?$"),
                            List.of("terminal length 0"),
                            MORE,
                            Pattern.compile("(?m)^ *% ?(.*)$"),
                            "exit"),
            "junos",
                    new Device(
                            Pattern.compile("(?:^|\\n)[\\w.@:-]{1,64}[>#%] ?$"),
                            List.of("set cli screen-length 0"),
                            MORE,
                            Pattern.compile("(?m)^(?:error: |unknown command|syntax error)(.*)$"),
                            "exit"),
            "routeros",
                    new Device(
                            Pattern.compile("\\[[^\\]\\n]{1,64}\\] (?:/?[\\w /-]{0,40})?> ?$"),
                            List.of(),
                            MORE,
                            Pattern.compile(
                                    "(?m)^(?:bad command|syntax error|expected|failure:|input does not match)(.*)$"),
                            "/quit"),
            "generic", new Device(Pattern.compile("[>#$%] ?$"), List.of(), MORE, Pattern.compile("(?!)"), "exit"));

    static Device of(String name) throws ReachFailure {
        Device found = ALL.get(name);
        if (found != null) return found;
        throw ReachFailure.lasting(Code.ADDRESS, "there is no device " + name + ", but generic, ios, junos, routeros");
    }
}
