-- name: create
-- A table of tasks by the specification, with names that have to be quoted; without what only the scheduler needs.
CREATE SCHEMA "Sch ema";
CREATE TYPE "Sch ema".state AS ENUM ('PLAN', 'GONE', 'TAKE', 'WORK', 'DONE', 'FAIL', 'STOP');
CREATE TABLE "Sch ema"."Ta""ble" (
    "id" bigserial PRIMARY KEY,
    "parent" bigint,
    "plan" timestamptz NOT NULL DEFAULT statement_timestamp(),
    "start" timestamptz,
    "stop" timestamptz,
    "active" interval NOT NULL DEFAULT '1 hour' CHECK ("active" > '0 s'),
    "live" interval NOT NULL DEFAULT '0 s',
    "repeat" interval NOT NULL DEFAULT '0 s',
    "timeout" interval NOT NULL DEFAULT '0 s',
    "count" integer NOT NULL DEFAULT 0,
    "max" integer NOT NULL DEFAULT 0,
    "pid" integer,
    "state" "Sch ema".state NOT NULL DEFAULT 'PLAN',
    "delete" boolean NOT NULL DEFAULT true,
    "delimiter" "char" NOT NULL DEFAULT E'\t',
    "data" text,
    "error" text,
    "group" text NOT NULL DEFAULT 'group',
    "input" text NOT NULL,
    "output" text,
    "remote" text
);
