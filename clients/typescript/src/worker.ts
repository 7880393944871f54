import { randomUUID } from "node:crypto";
import { Bell } from "./bell.js";
import type { Howdah } from "./client.js";
import { Cancel, Fatal, HowdahError, NoAnswer, NotAllowed, NotInstalled, Refused, Retry, Snooze, Stopped, Suspended } from "./errors.js";
import { Pauses } from "./http.js";
import { Job, Next } from "./job.js";
import { Beats, End, Ends, MANY, type Log, type Outcome } from "./reports.js";
import { duration, encode, now, seconds, storable } from "./values.js";

/** Does a job; what it returns is the job's result. */
export type Handler<P = any> = (job: Job<P>) => unknown;

export interface WorkerOptions {
  /** `default` unless given. */
  queues?: string[];
  /** How many jobs at a time; 10 unless given. */
  concurrency?: number;
  /** How many jobs a request claims at most; 100 unless given. */
  claim?: number;
  /** How many requests claim at the same time while there are more jobs; unless given 12 of small ones, of up to 10 jobs, or one of large ones. */
  claims?: number;
  /** A job whose worker was silent for so many seconds goes to another one; 30 unless given. */
  lease?: number;
  /** How many seconds a request waits for a job; 20 unless given. */
  wait?: number;
  /** How many seconds jobs have to end by themselves when the worker is stopped; 10 unless given. */
  grace?: number;
  /** In errors of jobs. */
  name?: string;
  /** Of the handlers: jobs that have waited under another one are another worker's. */
  version?: string;
  /** Earlier versions whose jobs it goes on with, too. */
  alsoRuns?: string[];
  /** What becomes of jobs, in words; nothing is said of it unless given, and warnings go to `console.warn`. */
  log?: Log;
}

/** So long handlers have to end after they were told to, in seconds. */
const LAST_WORDS = 5;

/**
 * Works jobs until it is stopped. Heartbeats are sent by themselves. On SIGTERM and SIGINT, or `stop`, no further job begins, those that run
 * have `grace` seconds to end, are told to, and go back.
 */
export class Worker {
  readonly #kinds = new Map<string, { handler: Handler; timeout: number | undefined }>();
  readonly #options: Required<Omit<WorkerOptions, "log" | "version" | "alsoRuns">>;
  readonly #versions: { version?: string; also_runs?: string[] };
  readonly #log: Log;
  readonly #running = new Set<Job>();
  readonly #news = new Bell();
  readonly #beats: Beats;
  readonly #ends: Ends;
  #stopping: Promise<void> | undefined;
  #refusal: HowdahError | undefined;
  readonly #asked = new Set<string>();
  /** How many jobs the claims that are under way may bring. */
  #wanted = 0;
  /** Whether the latest claim has brought all that it asked for. */
  #hasPlenty = false;

  constructor(
    readonly howdah: Howdah,
    options: WorkerOptions = {},
  ) {
    const { log, version, alsoRuns = [], ...others } = options;
    this.#versions = version === undefined ? {} : { version, also_runs: alsoRuns };
    this.#options = {
      queues: ["default"],
      concurrency: 10,
      claim: MANY,
      claims: (others.claim ?? MANY) <= 10 ? 12 : 1,
      lease: 30,
      wait: 20,
      grace: 10,
      name: `node ${process.pid}`,
      ...others,
    };
    if (!(this.#options.concurrency >= 1)) throw new RangeError(`concurrency is 1 or more, not ${this.#options.concurrency}`);
    this.#log = log ?? ((level, words) => level === "warn" && console.warn(`howdah: ${words}`));
    const refused = (error: HowdahError) => this.#refusedForGood(error);
    this.#beats = new Beats(howdah.http, refused, this.#log);
    this.#ends = new Ends(howdah.http, refused, this.#log);
  }

  /**
   * Jobs of that kind are done by that handler. After `timeout` seconds the job is told to stop; one that the job was added with holds as
   * well.
   */
  job<P = any>(kind: string, handler: Handler<P>, options: { timeout?: number } = {}): this {
    this.#kinds.set(kind, { handler, timeout: options.timeout });
    return this;
  }

  /** Works until SIGTERM, SIGINT or `stop`; a second signal ends the program at once. NotAllowed: no token allows it. */
  async run(options: { signals?: boolean } = {}): Promise<void> {
    if (this.#kinds.size === 0) throw new TypeError("no handler: say worker.job(kind, handler)");
    const signalled = () => {
      if (this.#stopping) process.exit(1); // The leases bring the jobs back.
      this.stop();
    };
    const signals: NodeJS.Signals[] = options.signals === false ? [] : ["SIGTERM", "SIGINT"];
    for (const each of signals) process.on(each, signalled);
    try {
      const others = Array.from({ length: this.#options.claims - 1 }, () => this.#claim(true));
      await this.#claim(false);
      this.stop();
      await this.#stopping;
      await Promise.all(others);
      await this.#finish();
    } finally {
      this.#beats.close();
      for (const each of signals) process.off(each, signalled);
    }
    if (this.#refusal) throw this.#refusal;
  }

  /** No further job begins; what runs may end. Returns at once: `run` returns then. */
  stop(): void {
    this.#stopping ??= this.#withdraw();
  }

  /** The claim that waits is taken back; jobs that it has brought, and that have not begun, go back. */
  async #withdraw(): Promise<void> {
    this.#log("info", "stopping");
    this.#news.ring();
    if (this.#refusal) return;
    const withdraw = async (key: string) => {
      try {
        await this.howdah.http.insist("workers/withdraw", encode({ key }), undefined, LAST_WORDS);
      } catch (error) {
        this.#log("warn", `a claim could not be withdrawn: ${error}`);
      }
    };
    await Promise.all([...this.#asked].map(withdraw));
  }

  #refusedForGood(error: HowdahError): void {
    this.#refusal ??= error;
    this.stop();
  }

  /** Jobs may end by themselves, then they are told to; what has not ended then goes back. */
  async #finish(): Promise<void> {
    const { grace, lease } = this.#options;
    await this.#news.until(() => this.#running.size === 0, grace);
    for (const job of this.#running) job.held.interrupt("stopping");
    await this.#news.until(() => this.#running.size === 0, LAST_WORDS);
    for (const job of this.#running) if (!job.held.isCancelled) this.#end(job, "release", {});
    await this.#ends.awaitBelow(1, lease);
  }

  /** Claims until it is stopped; `isMore`: only while there is plenty, so that an idle worker waits by one request. */
  async #claim(isMore: boolean): Promise<void> {
    const { queues, lease, name } = this.#options;
    const wait = isMore ? 0 : this.#options.wait;
    const asks = { kinds: [...this.#kinds.keys()], queues, lease, wait, worker: name, ...this.#versions };
    let key: string | undefined;
    let body = "";
    let free = 0;
    let isFilled = false;
    let pauses = new Pauses();
    while (!this.#stopping) {
      if (key === undefined) {
        if (isMore && !(await this.#news.until(() => this.#hasPlenty || this.#stopping !== undefined, 10))) continue;
        free = await this.#free(isFilled);
        if (this.#stopping) return;
        if (free === 0) continue;
        key = randomUUID();
        body = encode({ ...asks, max: free });
      }
      const asked = key;
      this.#asked.add(asked);
      const sent = now();
      try {
        const answer = await this.howdah.http.call("workers/claim", body, key, wait + 15);
        const jobs: Job[] = answer.claims.map((each: Record<string, any>) => new Job(each, sent));
        isFilled = jobs.length === free;
        this.#back(asked, free);
        this.#hasPlenty = isFilled;
        key = undefined;
        pauses = new Pauses();
        await this.#begin(jobs);
        if (jobs.length === 0 && !isMore) await this.#pause(0.05);
      } catch (error) {
        if (error instanceof NoAnswer) {
          // The answer may have been lost: the same key gets the same jobs.
          this.#log("warn", `no jobs: ${error.message}`);
          await this.#pause(pauses.next(error));
        } else if (error instanceof Refused) {
          this.#back(asked, free);
          key = undefined;
          if (error instanceof NotAllowed) this.#refusedForGood(error);
          const isMissing = error instanceof NotInstalled;
          this.#log("warn", `no jobs: ${isMissing ? "the tables of jobs are missing: howdah job install" : error.message}`);
          await this.#pause(isMissing ? 10 : 1);
        } else throw error;
      }
    }
  }

  /** A claim is over. */
  #back(key: string, free: number): void {
    this.#asked.delete(key);
    this.#wanted -= free;
    this.#news.ring();
  }

  #taken(): number {
    return this.#running.size + this.#wanted;
  }

  async #pause(time: number): Promise<void> {
    await this.#news.until(() => this.#stopping !== undefined, time);
  }

  /** How many jobs may be claimed; 0: none yet. Where there are more, it waits a little for more hands. */
  async #free(isBusy: boolean): Promise<number> {
    const { concurrency, claim } = this.#options;
    const mayGoOn = (most: number) => () => this.#taken() <= most || this.#stopping !== undefined;
    if (!(await this.#news.until(mayGoOn(concurrency - 1), 1))) return 0;
    if (isBusy) await this.#news.until(mayGoOn(concurrency - Math.min(Math.ceil(concurrency / 2), claim)), 0.005);
    const free = Math.max(Math.min(concurrency - this.#taken(), claim, MANY), 0);
    this.#wanted += free;
    // Ends that are not written are jobs of this worker to the server.
    await this.#ends.awaitBelow(concurrency + MANY, 1);
    return free;
  }

  async #begin(jobs: Job[]): Promise<void> {
    if (this.#stopping) {
      for (const job of jobs) this.#end(job, "release", {});
      return;
    }
    for (const job of jobs) {
      this.#running.add(job);
      const { token, lease } = job.held;
      job.calls = { http: this.howdah.http, tell: () => this.#tell(job), token, lease };
    }
    // The claim may have waited for longer than its lease: whether its jobs are still this worker's is asked.
    const late = jobs.filter((job) => now() >= job.held.heldUntil);
    if (late.length > 0) await this.#beats.send(late);
    this.#beats.add(jobs);
    for (const job of jobs) void this.#do(job);
  }

  async #do(job: Job): Promise<void> {
    try {
      const kind = this.#kinds.get(job.kind)!;
      if (job.held.checkLost(now())) {
        this.#log("warn", `lost ${job.id}`);
        return;
      }
      this.#log("info", `began ${job.id} attempt ${job.attempt} fencing token ${job.fencingToken}`);
      const limits = [kind.timeout, seconds(job.timeout)].filter((each): each is number => each !== undefined && each > 0);
      if (limits.length > 0) this.#beats.until(job, now() + Math.min(...limits));
      const [outcome, fields] = await this.#outcome(job, kind.handler);
      if (job.held.hasReport) await this.#tell(job);
      this.#end(job, outcome, fields);
    } finally {
      this.#beats.remove(job);
      this.#running.delete(job);
      this.#news.ring();
    }
  }

  /** What there is to tell of the job: after its end nothing more can be told. */
  async #tell(job: Job): Promise<void> {
    let left = -1;
    while (job.suspended === undefined && job.held.hasReport && !job.held.checkLost(now()) && (job.held.report.log ?? []).length !== left) {
      left = (job.held.report.log ?? []).length;
      await this.#beats.send([job]);
    }
  }

  /** How the job ended, and the fields of that. */
  async #outcome(job: Job, handler: Handler): Promise<[Outcome, Record<string, unknown>]> {
    try {
      const result = await handler(job);
      return ["complete", result instanceof Next ? { next: result.fields } : { result: result ?? null }];
    } catch (error) {
      if (error instanceof Suspended) return ["complete", {}]; // Not said: the job waits.
      if (error instanceof Stopped) return stopped(job, error.message);
      if (error instanceof Snooze) return ["snooze", { delay: duration(error.delay) }];
      if (error instanceof Cancel) return ["cancel", { error: storable(error.message) }];
      // As a request or timer that was given the signal of the job.
      if (job.stop.aborted && error instanceof Error && error.name === "AbortError") return stopped(job, job.reason!);
      return failed(error);
    }
  }

  /** Says once how the job ended. */
  #end(job: Job, outcome: Outcome, fields: Record<string, unknown>): void {
    if (job.suspended !== undefined) {
      if (!job.held.isSaid) this.#log("info", `suspended ${job.id}`);
      job.held.isSaid = true;
      return;
    }
    if (job.held.checkLost(now())) return this.#log("warn", `lost ${job.id}`);
    if (job.held.isSaid) return;
    job.held.isSaid = true;
    let end: End;
    try {
      end = new End(job, outcome, fields);
    } catch (error) {
      end = new End(job, "fail", { error: storable(`its result is no JSON: ${error}`), retry: false });
    }
    this.#ends.put(end);
  }
}

function stopped(job: Job, words: string): [Outcome, Record<string, unknown>] {
  const error = storable(`Stopped: ${words}`);
  if (job.held.isCancelled) return ["cancel", { error }];
  return job.reason === "stopping" ? ["release", {}] : ["fail", { error, retry: true }];
}

function failed(error: unknown): [Outcome, Record<string, unknown>] {
  const words = error instanceof Error ? `${error.name}: ${error.message}\n${frames(error)}` : `Error: ${String(error)}`;
  const delay = error instanceof Retry ? { delay: duration(error.delay) } : {};
  const cause = error instanceof Fatal && error.call !== undefined ? { cause: error.call } : {};
  return ["fail", { error: storable(words), retry: !(error instanceof Fatal), ...delay, ...cause }];
}

/** The stack without the message, which it begins with. */
function frames(error: Error): string {
  const stack = error.stack ?? "";
  return stack.slice(Math.max(stack.indexOf("\n    at ") + 1, 0));
}
