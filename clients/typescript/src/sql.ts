import { fieldsOf, type Added, type JobOptions } from "./client.js";
import { encode } from "./values.js";

/** A client of node-postgres, or what has the same method. */
export interface Queryable {
  query(text: string, values: unknown[]): Promise<{ rows: any[] }>;
}

const TYPES: Record<string, string> = {
  queue: "text",
  kind: "text",
  payload: "json",
  priority: "integer",
  run_at: "timestamptz",
  delay: "interval",
  key: "text",
  attempts: "integer",
  timeout: "interval",
  options: "jsonb",
};

/** Adds a job in the transaction of that client: it is there when the caller commits, and not when it rolls back. */
export async function add(
  client: Queryable,
  kind: string,
  payload?: unknown,
  options: JobOptions & { schema?: string } = {},
): Promise<Added> {
  const { schema = "howdah", ...others } = options;
  const { tags, metadata, group, ...fields } = fieldsOf({ kind, ...others });
  const more = Object.entries({ tags, metadata, group }).filter(([, value]) => value !== undefined);
  const named = Object.entries({
    ...fields,
    payload: encode(payload),
    options: more.length > 0 ? encode(Object.fromEntries(more)) : undefined,
  }).filter(([, value]) => value !== undefined);
  const list = named.map(([name], number) => `${name} => $${number + 1}::${TYPES[name]}`).join(", ");
  const answer = await client.query(
    `SELECT id, added FROM ${quoted(schema)}.add(${list})`,
    named.map(([, value]) => value),
  );
  return { id: String(answer.rows[0].id), added: answer.rows[0].added };
}

/** Adds a job for each payload, by one statement; returns their ids, in that order. */
export async function addMany(
  client: Queryable,
  kind: string,
  payloads: unknown[],
  options: { queue?: string; schema?: string } = {},
): Promise<string[]> {
  const { queue = "default", schema = "howdah" } = options;
  const answer = await client.query(`SELECT id FROM ${quoted(schema)}.add_many($1::text, $2::text, $3::text[]) AS id`, [
    queue,
    kind,
    payloads.map(encode),
  ]);
  return answer.rows.map((row) => String(row.id));
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
