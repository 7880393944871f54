import { Howdah, Worker } from "howdah";

const howdah = new Howdah("http://127.0.0.1:8080");
const worker = new Worker(howdah);

worker.job("order", async (job) => {
  const payment = await job.step("charge", async () => `payment ${job.payload}`);
  await job.sleep("cool down", "PT2S");
  const approval = await job.awaitSignal("approval", "P7D");
  if (approval === undefined) return job.step("refund", () => `refunded ${payment}`);
  const parcels = await job.children("parcel", [1, 2].map((payload) => ({ kind: "parcel", payload })));
  let grams = 0;
  for (const each of parcels) grams += await job.awaitChild(each);
  return { payment, grams };
});

worker.job("parcel", (job) => 100 * job.payload);

const added = await howdah.add("order", 17);
await howdah.signal(added.id, "approval", true);
await worker.run();
