import pg from "pg";
import { sql } from "howdah";

const client = new pg.Client("postgresql://postgres@db.example/shop");
await client.connect();
await client.query("BEGIN");
await client.query("UPDATE wallet SET cents = cents - 50 WHERE id = 7");
console.log((await sql.add(client, "invoice", { order: 12 }, { queue: "books", delay: "PT1H", tags: ["order"] })).added);
console.log((await sql.addMany(client, "invoice", [{ order: 13 }, { order: 14 }], { queue: "books" })).length);
await client.query("COMMIT");
await client.end();
