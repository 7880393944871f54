-- Changes of many objects that the console makes in the background.

CREATE TABLE howdah.console_change (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    title text NOT NULL,
    back text NOT NULL,
    expected bigint,
    changed bigint NOT NULL DEFAULT 0,
    unchanged bigint NOT NULL DEFAULT 0,
    created timestamptz NOT NULL DEFAULT now(),
    started timestamptz,
    ended timestamptz,
    seen timestamptz NOT NULL DEFAULT now(),
    stopping boolean NOT NULL DEFAULT false,
    error text
) WITH (fillfactor = 50);
COMMENT ON TABLE howdah.console_change IS
    'Changes of many objects that consoles make in the background, and how far they are; the '
    'newest thousand.';
COMMENT ON COLUMN howdah.console_change.back IS 'the path of the list that it was started from';
COMMENT ON COLUMN howdah.console_change.seen IS
    'when the program that makes it said something last: it does every two seconds';
COMMENT ON COLUMN howdah.console_change.stopping IS 'whether it was asked to stop';

INSERT INTO howdah.migration (feature, version, file)
VALUES ('console', 2, '002-console.sql');
