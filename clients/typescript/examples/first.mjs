import { Howdah, Worker } from "howdah";

const howdah = new Howdah("http://127.0.0.1:8080");
console.log("added", (await howdah.add("greet", { name: "Ada" })).id);
const worker = new Worker(howdah);

worker.job("greet", async (job) => {
  return { greeting: "Hello " + job.payload.name };
});

await worker.run();
