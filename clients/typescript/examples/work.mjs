import { Fatal, Howdah, Retry, Worker } from "howdah";

const log = (_, words) => console.log(words);
const worker = new Worker(new Howdah("http://127.0.0.1:8080"), { queues: ["books"], concurrency: 50, log });

const invoice = async (job) => {
  if (!("order" in job.payload)) throw new Fatal("an invoice needs an order");
  if (job.payload.order === 8 && job.attempt === 1) throw new Retry("the bank is closed", "PT0.1S");
  job.log("charging with the key " + job.key("charge"));
  job.progress(0.5, "charged");
  return { order: job.payload.order, attempt: job.attempt };
};
worker.job("invoice", invoice, { timeout: 60 });

await worker.run();
