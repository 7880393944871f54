// What the suite of conformance starts in TypeScript: its twin is worker.py.
//
//     worker.mjs ADDRESS work KINDS [QUEUES]
//     worker.mjs ADDRESS add KIND PAYLOAD QUEUE | add-many KIND NUMBER | wait ID SECONDS | cancel ID | retry ID
import { setTimeout as sleep } from "node:timers/promises";
import { Cancel, Fatal, Howdah, HowdahError, Next, Refused, Retry, Snooze, StepFailed, Worker } from "../typescript/dist/esm/index.js";

async function work(job) {
  const payload = typeof job.payload === "object" ? (job.payload ?? {}) : {};
  if (typeof payload.seconds === "string") throw new Fatal("seconds has to be a number");
  if ("order" in payload) return order(job);
  if ("changes" in payload) return changed(job);
  if ("log" in payload) {
    job.log(payload.log);
    job.progress(0.5, "half");
  }
  await job.sleep(payload.seconds ?? 0);
  if ("error" in payload) throw new TypeError(payload.error);
  if ("retry" in payload) throw new Retry("later", payload.retry);
  if ("snooze" in payload) throw new Snooze(payload.snooze);
  if ("cancel" in payload) throw new Cancel(payload.cancel);
  if ("key" in payload) return job.key(payload.key);
  if ("next" in payload) return new Next(payload.next, payload.payload);
  return { seen: job.payload };
}

async function changed(job) {
  await job.renamed("charge", "charge card");
  await job.retired("mail");
  const isNew = await job.patched("2026-12 tax");
  const first = await job.awaitAny("first", ["paid", { event: "arrived", key: "7", containing: { a: 1 } }, { job: "41" }], "P3D");
  return [isNew, first.index, first.result];
}

async function order(job) {
  const refuse = () => {
    throw new TypeError("refused");
  };
  job.log("begins");
  const payment = await job.step("charge", async () => ({ of: job.payload.order }));
  try {
    await job.step("card", refuse);
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    await job.step("invoice", () => error.words);
  }
  let approval;
  try {
    approval = await job.awaitSignal("approval", "P7D");
  } catch {
    await job.step("never", refuse);
  }
  const parcels = await job.children("parcel", [{ kind: "parcel", payload: 0 }, { kind: "parcel", payload: 1 }]);
  await job.awaitChildren(parcels);
  await job.sleep("cool down", "PT72H");
  const results = [];
  for (const each of parcels) results.push(await job.awaitChild(each));
  return [payment, approval.payload, results];
}

async function main(address, command, ...words) {
  const howdah = new Howdah(address);
  if (command === "add") {
    const added = await howdah.add(words[0], JSON.parse(words[1]), { queue: words[2] });
    console.log("job", added.id, added.added ? "was added" : "was there already");
  } else if (command === "add-many") {
    const jobs = Array.from({ length: Number(words[1]) }, (_, payload) => ({ kind: words[0], payload }));
    console.log((await howdah.addMany(jobs)).length, "jobs");
  } else if (command === "wait") {
    console.log("job", words[0], "is", (await howdah.wait(words[0], Number(words[1]))).state);
  } else if (command === "cancel") {
    await howdah.cancel(words[0]);
  } else if (command === "retry") {
    await howdah.retry(words[0]);
  } else {
    const worker = new Worker(howdah, {
      queues: words[1]?.split(","),
      concurrency: Number(process.env.HANDS ?? 1),
      grace: Number(process.env.GRACE ?? 10),
      log: (_, line) => console.log(line),
    });
    for (const kind of words[0].split(",")) {
      const handler = kind === "async" ? (job) => typeof job.payload === "object" ? work(job) : sleep(job.payload * 1000, { slept: job.payload }, { signal: job.stop }) : work;
      worker.job(kind, handler, { timeout: Number(process.env.TIMEOUT ?? 0) });
    }
    await worker.run();
  }
}

try {
  await main(...process.argv.slice(2));
  process.exit(0);
} catch (error) {
  if (!(error instanceof HowdahError)) throw error;
  console.log(error.name, error instanceof Refused ? error.message : "");
  process.exit(1);
}
