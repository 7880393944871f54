import { Conflict, Howdah } from "howdah";

const howdah = new Howdah("http://127.0.0.1:8080");
const order = await howdah.add("invoice", { order: 7 }, { queue: "books", delay: "PT0.1S", key: "order 7", tags: ["order"] });
await howdah.addMany([8, 9, 10].map((order) => ({ kind: "invoice", payload: { order }, queue: "books" })));
const done = await howdah.wait(order.id, 60);
console.log(done.state, done.result);
try {
  await howdah.cancel(order.id);
} catch (error) {
  if (!(error instanceof Conflict)) throw error;
  console.log(error.type);
}
