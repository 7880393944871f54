package dev.howdah.daemon.config;

import dev.howdah.reach.ReachSettings;
import dev.howdah.task.RemotePlaces;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Everything that can be configured, once: the flag, the variable of the environment and the key of the file have
 * the same name ({@code --pg-port}, {@code HOWDAH_PG_PORT}, {@code pg-port}).
 */
public enum Setting {
    DATA("DIR", "the data directory of the embedded PostgreSQL", null, Kind.TEXT) {
        @Override
        String defaultText() {
            return "~/.howdah";
        }
    },
    URL(
            "URL",
            "an existing PostgreSQL: a postgresql:// or jdbc:postgresql:// URI, or keywords and values such as \"host=db user=me\"",
            null,
            Kind.TEXT),
    PG_PORT("N", "the port of the PostgreSQL in the data directory; 0 takes any free one", null, Kind.PORT) {
        @Override
        String defaultText() {
            return "5432 or the next free one, the same at every start";
        }
    },
    PG_AUTH("HOW", "authentication of that PostgreSQL: trust (from this machine only) or password", "trust", Kind.AUTH),
    SCHEMA("NAME", "the schema of the table", "public", Kind.TEXT),
    TABLE("NAME", "the table that holds the tasks", "task", Kind.TABLE),
    TABLES("JSON", "the tables to serve, in any number of databases: a list as in pg_task.json", null, Kind.TEXT) {
        @Override
        String defaultText() {
            return "what the server's setting pg_task.json says, or else the one of --schema and --table";
        }
    },
    CREATE("on|off", "whether missing roles and databases of that list are created", "on", Kind.SWITCH),
    SESSIONS("N", "maximum number of tasks of one database that run at once", "40", Kind.COUNT),
    TOTAL_SESSIONS(
            "N",
            "maximum number of tasks that run at once in all databases together, and of those at other servers",
            null,
            Kind.COUNT) {
        @Override
        String defaultText() {
            return "as --sessions";
        }
    },
    ADOPT(
            "LIST",
            "tables that are there and become tables of tasks, as SCHEMA.TABLE: the texts in their column input run as SQL",
            null,
            Kind.LIST) {
        @Override
        String defaultText() {
            return "none";
        }
    },
    RIGHTS("WHOSE", "whose privileges tasks have: owner (the role that added each) or scheduler", null, Kind.RIGHTS) {
        @Override
        String defaultText() {
            return "owner, but scheduler for a table from elsewhere that has no column owner";
        }
    },
    ALLOW(
            "LIST",
            "what tasks with remote may reach: postgresql://HOST:PORT/DATABASE=OWNER,OWNER or https://HOST:PORT/PATH/*=OWNER,"
                    + " and more schemes, with blanks between",
            null,
            Kind.PLACES) {
        @Override
        String defaultText() {
            return "every PostgreSQL, and nothing else";
        }
    },
    REACH("FILE", "a file with the credentials of tasks that reach out, as JSON", null, Kind.TEXT) {
        @Override
        String defaultText() {
            return "reach.json in the data directory, when there";
        }
    },
    LEASE(
            "SECONDS",
            "after how long another howdah takes over from one that is frozen or cut off; the same for all of a table",
            "10",
            Kind.LEASE),
    QUEUES("LIST", "queues whose jobs of the kinds sql and http run here, separated by commas", null, Kind.LIST) {
        @Override
        String defaultText() {
            return "none";
        }
    },
    WORKERS("N", "maximum number of jobs of these queues that run at once", "10", Kind.COUNT),
    SQL_ROLE("ROLE", "the role that jobs of the kind sql log in as", null, Kind.TEXT) {
        @Override
        String defaultText() {
            return "none, such jobs wait";
        }
    },
    SQL_SUPERUSER(
            "on|off",
            "whether that role may be a superuser, or own the tables of jobs: then each role that may add jobs can do the same",
            "off",
            Kind.SWITCH),
    HTTP_ALLOW(
            "LIST",
            "allowed addresses of jobs of the kind http: https://HOST, http://HOST, also with :PORT, separated by commas",
            null,
            Kind.LIST) {
        @Override
        String defaultText() {
            return "none, such jobs wait";
        }
    },
    HTTP_SECRET("FILE", "a file with the secret that signs requests", null, Kind.TEXT),
    HTTP_TIMEOUT("SECONDS", "timeout of a request", "30", Kind.SECONDS),
    PROCESSES(
            "FILE",
            "a file with the namespaces of processes whose processors are endpoints, as JSON",
            null,
            Kind.TEXT) {
        @Override
        String defaultText() {
            return "none";
        }
    },
    PAUSED_WHEN_MOVED(
            "on|off",
            "whether everything in a database is paused at the start if the daemon served another one last, such as the original of a copy",
            "off",
            Kind.SWITCH),
    INSTALLATION("NAME", "the schema of the tables of jobs and processes", "howdah", Kind.TEXT),
    CONSOLE("on|off", "whether the console is served", "on", Kind.SWITCH),
    PORT("N", "the port of the console; 0 takes any free one", null, Kind.PORT) {
        @Override
        String defaultText() {
            return "8080 or the next free one";
        }
    },
    CONSOLE_LISTEN(
            "ADDRESS",
            "the address of the console; others than 127.0.0.1 need --console-login token or --console-oidc, --console-host and --trusted-proxy",
            "127.0.0.1",
            Kind.TEXT),
    CONSOLE_HOST("LIST", "host names by which browsers ask for the console, separated by commas", null, Kind.LIST) {
        @Override
        String defaultText() {
            return "127.0.0.1, localhost and [::1], with the port";
        }
    },
    CONSOLE_ORIGIN(
            "LIST",
            "origins of other pages that may read the HTTP API with a token, separated by commas",
            null,
            Kind.LIST) {
        @Override
        String defaultText() {
            return "none";
        }
    },
    CONSOLE_CHANNELS(
            "LIST", "channels of NOTIFY that streams of events pass on, separated by commas", null, Kind.LIST) {
        @Override
        String defaultText() {
            return "none";
        }
    },
    CONSOLE_LOGIN("HOW", "whether the console asks for a login: link (of howdah console) or token", null, Kind.LOGIN) {
        @Override
        String defaultText() {
            return "none with a PostgreSQL of its own that trusts each user of this machine, else link";
        }
    },
    CONSOLE_OIDC("FILE", "a file with the OpenID provider by which people log in to the console", null, Kind.TEXT) {
        @Override
        String defaultText() {
            return "none";
        }
    },
    CONSOLE_DATABASES(
            "FILE", "a file with more databases, each with a console of its own beside this one", null, Kind.TEXT) {
        @Override
        String defaultText() {
            return "none";
        }
    },
    CONSOLE_BASE_PATH("PATH", "the path of the console behind a proxy, such as /howdah", null, Kind.TEXT) {
        @Override
        String defaultText() {
            return "none";
        }
    },
    TRUSTED_PROXY(
            "LIST",
            "addresses of proxies whose X-Forwarded headers are believed, such as 10.0.0.5 or 10.1.0.0/16, separated by commas",
            null,
            Kind.LIST) {
        @Override
        String defaultText() {
            return "none";
        }
    },
    CONSOLE_MASK_KEYS(
            "LIST",
            "further keys whose values the console masks, beside password, token and the like, separated by commas",
            null,
            Kind.LIST) {
        @Override
        String defaultText() {
            return "none";
        }
    },
    CONSOLE_MASK("REGEX", "a regular expression; the console masks what it matches", null, Kind.TEXT) {
        @Override
        String defaultText() {
            return "none";
        }
    },
    CONSOLE_UNMASKED("on|off", "whether administrators see in the console what is masked", "off", Kind.SWITCH),
    AUDIT_DAYS("N", "for how many days the audit table is kept, 30 or more", "365", Kind.AUDIT),
    METRICS_PORT(
            "N",
            "serves metrics for Prometheus at http://ADDRESS:N/metrics and probes at /live and /ready; 0 takes any free port",
            null,
            Kind.PORT) {
        @Override
        String defaultText() {
            return "none";
        }
    },
    METRICS_ADDRESS(
            "ADDRESS",
            "address on which metrics are served, to every client that can reach it",
            "127.0.0.1",
            Kind.TEXT),
    LOG_FORMAT("HOW", "the format of the log: text, or json with one object on each line", "text", Kind.LOG),
    CONFIG("FILE", "a file of such settings, one key=value on a line", null, Kind.TEXT) {
        @Override
        String defaultText() {
            return "howdah.properties in the data directory, when there";
        }
    };

    /** The values that make sense. */
    private enum Kind {
        TEXT("something"),
        PORT("a number from 0 to 65535"),
        TABLE("a name of at most " + LongestTable.BYTES
                + " bytes, because the names of its indexes and constraints are longer"),
        COUNT("a number from 1 to 10000"),
        LEASE("a number of seconds from 2 to 3600"),
        RIGHTS("owner or scheduler"),
        AUTH("trust or password"),
        LOG("text or json"),
        LOGIN("link or token"),
        AUDIT("a number from 30 to 36500"),
        SECONDS("a number of seconds from 1 to 3600"),
        LIST("a list with commas between"),
        PLACES(
                "a list with blanks between of postgresql://HOST, with :PORT, /DATABASE and =OWNER,OWNER where needed, or https://HOST"),
        SWITCH("on or off");

        final String wanted;

        Kind(String wanted) {
            this.wanted = wanted;
        }

        boolean accepts(String value) {
            return switch (this) {
                case TEXT -> !value.isBlank();
                case TABLE -> !value.isBlank() && value.getBytes(StandardCharsets.UTF_8).length <= LongestTable.BYTES;
                case PORT -> within(value, 0, 65535);
                case COUNT -> within(value, 1, 10_000);
                case LEASE -> within(value, 2, 3600);
                case SECONDS -> within(value, 1, 3600);
                case LIST ->
                    !value.isBlank() && Arrays.stream(value.split(",", -1)).noneMatch(String::isBlank);
                case PLACES -> !value.isBlank();
                case SWITCH -> value.equals("on") || value.equals("off");
                case RIGHTS -> value.equals("owner") || value.equals("scheduler");
                case LOGIN -> value.equals("link") || value.equals("token");
                case AUDIT -> within(value, 30, 36_500);
                case AUTH -> value.equals("trust") || value.equals("password");
                case LOG -> value.equals("text") || value.equals("json");
            };
        }

        private static boolean within(String value, int least, int most) {
            return value.matches("\\d{1,9}") && Integer.parseInt(value) >= least && Integer.parseInt(value) <= most;
        }
    }

    /** The longest suffix of the table's name is {@code _cron_or_repeat_check}, and PostgreSQL takes 63 bytes. */
    private static final class LongestTable {
        static final int BYTES = 42;
    }

    private final String label;
    private final String meaning;
    private final @Nullable String usual;
    private final Kind kind;

    Setting(String label, String meaning, @Nullable String usual, Kind kind) {
        this.label = label;
        this.meaning = meaning;
        this.usual = usual;
        this.kind = kind;
    }

    /** What stands between the blanks of a list. */
    static List<String> places(String value) {
        return List.of(value.strip().split("\\s+"));
    }

    /** The places of a list that are PostgreSQLs. */
    static List<String> postgresPlaces(String value) {
        return places(value).stream()
                .filter(each -> !ReachSettings.isPlace(each))
                .toList();
    }

    /** The other places of a list. */
    static List<String> reachPlaces(String value) {
        return places(value).stream().filter(ReachSettings::isPlace).toList();
    }

    /** What stands between the commas of a list. */
    static List<String> list(String value) {
        return Arrays.stream(value.split(",", -1)).map(String::strip).distinct().toList();
    }

    /** The name in the file. */
    String key() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The name on the command line. */
    public String flag() {
        return "--" + key();
    }

    /** Whether its value may be shown: not a file, a text that anything can stand in, or an address that can hold a password. */
    boolean isShown() {
        return switch (this) {
            case URL, TABLES, HTTP_ALLOW, CONSOLE_MASK -> false;
            case SCHEMA, TABLE, INSTALLATION, SQL_ROLE, CONSOLE_LISTEN, CONSOLE_BASE_PATH, METRICS_ADDRESS -> true;
            default -> kind != Kind.TEXT && kind != Kind.PLACES;
        };
    }

    /** The name in the environment. */
    public String variable() {
        return "HOWDAH_" + name();
    }

    public String label() {
        return label;
    }

    /** The meaning and the default, in words for people. */
    public String help() {
        String byDefault = defaultText();
        String sentence = Character.toUpperCase(meaning.charAt(0)) + meaning.substring(1);
        return sentence + (byDefault == null ? "." : " (default: " + byDefault + ").");
    }

    @Nullable
    String defaultText() {
        return usual;
    }

    /** The default, for the program; none if that depends on something else. */
    Optional<String> usual() {
        return Optional.ofNullable(usual);
    }

    /** Returns whether it may stand in a file. */
    boolean inFile() {
        return this != CONFIG;
    }

    /** What is wrong with the value, if anything. */
    Optional<String> complaint(String value) {
        try {
            // Its message leaves out a password, which does not belong there.
            if (kind == Kind.PLACES && kind.accepts(value)) {
                RemotePlaces.of(postgresPlaces(value));
                ReachSettings.of(reachPlaces(value));
            }
        } catch (IllegalArgumentException e) {
            return Optional.of("has a place that cannot be understood: " + e.getMessage());
        }
        return kind.accepts(value)
                ? Optional.empty()
                : Optional.of("has to be " + kind.wanted + ", not \"" + value + "\"");
    }

    public static Optional<Setting> ofKey(String key) {
        return Arrays.stream(values())
                .filter(s -> s.inFile() && s.key().equals(key))
                .findFirst();
    }

    static Optional<Setting> ofVariable(String variable) {
        return Arrays.stream(values())
                .filter(s -> s.variable().equals(variable))
                .findFirst();
    }

    public static List<String> keys() {
        return Arrays.stream(values()).filter(Setting::inFile).map(Setting::key).toList();
    }

    public static List<String> variables() {
        return Arrays.stream(values()).map(Setting::variable).toList();
    }
}
