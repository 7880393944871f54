package dev.howdah.daemon.cli.top;

/**
 * A key.
 *
 * @param character for {@link Kind#CHARACTER}; else 0
 */
record TopKey(Kind kind, int character) {
    enum Kind {
        CHARACTER,
        UP,
        DOWN,
        LEFT,
        RIGHT,
        PAGE_UP,
        PAGE_DOWN,
        HOME,
        END,
        ENTER,
        TAB,
        BACKSPACE,
        ESCAPE,
        /** Ctrl-C, from a terminal that makes no signal of it. */
        INTERRUPT
    }

    static TopKey of(Kind kind) {
        return new TopKey(kind, 0);
    }

    static TopKey of(int character) {
        return new TopKey(Kind.CHARACTER, character);
    }
}
