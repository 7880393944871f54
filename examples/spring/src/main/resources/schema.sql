CREATE TABLE IF NOT EXISTS orders (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    customer text NOT NULL,
    state text NOT NULL DEFAULT 'placed'
);
CREATE TABLE IF NOT EXISTS ledger (
    purchase integer NOT NULL,
    line text NOT NULL
);
