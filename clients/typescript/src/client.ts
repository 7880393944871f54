import { randomUUID } from "node:crypto";
import { TimeoutError } from "./errors.js";
import { Http } from "./http.js";
import { duration, encode, now, sleep } from "./values.js";

const MANY = 1_000;
const MANY_BYTES = 4_900_000;

/** `added` is false if a job with the same key was there already: that one has the `id`. */
export interface Added {
  id: string;
  added: boolean;
}

/** What may be said of a job that is added. What is left out has its default; durations are texts such as "PT90S". */
export interface JobOptions {
  queue?: string;
  priority?: number;
  runAt?: Date | string;
  delay?: string;
  key?: string;
  attempts?: number;
  timeout?: string;
  tags?: string[];
  metadata?: Record<string, unknown>;
  group?: string;
}

/** A job to be added. */
export interface NewJob extends JobOptions {
  kind: string;
  payload?: unknown;
}

/** A job as the server knows it; `fields` has all that it says. */
export interface JobState {
  id: string;
  queue: string;
  kind: string;
  state: string;
  result?: any;
  error?: string;
  fields: Record<string, any>;
}

/** The fields of a job as the server has them. */
export function fieldsOf(job: NewJob): Record<string, unknown> {
  const { kind, payload, queue = "default", runAt, delay, timeout, ...others } = job;
  return {
    kind,
    payload: payload ?? undefined,
    queue,
    ...others,
    run_at: runAt instanceof Date ? runAt.toISOString() : runAt,
    delay: delay === undefined ? undefined : duration(delay),
    timeout: timeout === undefined ? undefined : duration(timeout),
  };
}

/**
 * The jobs of a server. `url` is that of the console, such as http://127.0.0.1:8080; `token` one of it, HOWDAH_TOKEN of the environment
 * unless given. A request without an answer is made again, as the same one, for up to `patience` seconds.
 */
export class Howdah {
  readonly http: Http;
  readonly #patience: number;

  constructor(url: string, options: { token?: string; patience?: number } = {}) {
    this.http = new Http(url, options.token ?? process.env["HOWDAH_TOKEN"]);
    this.#patience = options.patience ?? 30;
  }

  /** Adds a job, once, however often the request has to be made. */
  async add(kind: string, payload?: unknown, options: JobOptions & { idempotencyKey?: string } = {}): Promise<Added> {
    const { idempotencyKey = randomUUID(), ...others } = options;
    const body = encode(fieldsOf({ kind, payload, ...others }));
    return added(await this.http.insist("jobs", body, idempotencyKey, this.#patience));
  }

  /** Adds jobs, up to a thousand in a request: each request adds all of its jobs or none. */
  async addMany(jobs: Iterable<NewJob>): Promise<Added[]> {
    const all: Added[] = [];
    let texts: string[] = [];
    let size = 0;
    const send = async () => {
      const body = `{"jobs":[${texts.join(",")}]}`;
      const answer = await this.http.insist("jobs/batch", body, randomUUID(), this.#patience);
      all.push(...answer.jobs.map(added));
    };
    for (const job of jobs) {
      const text = encode(fieldsOf(job));
      const bytes = Buffer.byteLength(text) + 1;
      if (texts.length === MANY || (texts.length > 0 && size + bytes > MANY_BYTES)) {
        await send();
        texts = [];
        size = 0;
      }
      texts.push(text);
      size += bytes;
    }
    if (texts.length > 0) await send();
    return all;
  }

  /** Reads a job; NotFound: there is none with that id. */
  async job(id: string): Promise<JobState> {
    return this.#job(id, "");
  }

  async #job(id: string, query: string): Promise<JobState> {
    const fields = await this.http.insist(`jobs/${path(id)}${query}`, undefined, undefined, this.#patience);
    const { queue, kind, state, result, error } = fields;
    return { id: String(fields.id), queue, kind, state, result, error, fields };
  }

  /** The attempts of a job, its steps, its log, and how far it is. */
  async history(id: string): Promise<Record<string, any>> {
    return this.http.insist(`jobs/${path(id)}/history`, undefined, undefined, this.#patience);
  }

  /** Waits until the job is done, failed or cancelled; TimeoutError: it is none of them by then. */
  async wait(id: string, time = 60): Promise<JobState> {
    const until = now() + time;
    for (let left = time; ; ) {
      // The server waits, for less than a request may take.
      const job = await this.#job(id, `?wait=${Math.min(Math.floor(left), 10)}`);
      if (["done", "failed", "cancelled"].includes(job.state)) return job;
      left = until - now();
      if (left <= 0) throw new TimeoutError(`job ${id} is ${job.state} after ${time} s`);
      if (left < 1) await sleep(left);
    }
  }

  /** Cancels a job; one that runs is told so. Conflict: it has ended. */
  async cancel(id: string, reason?: string): Promise<void> {
    await this.#change(id, "cancel", reason);
  }

  /** Lets a job that has failed or was cancelled begin anew. Conflict: it has not. */
  async retry(id: string, reason?: string): Promise<void> {
    await this.#change(id, "retry", reason);
  }

  /** Sends a signal to a job, once, however often the request has to be made. Conflict: the job has ended. */
  async signal(id: string, name: string, payload?: unknown, options: { idempotencyKey?: string } = {}): Promise<void> {
    const body = encode({ name, payload: payload ?? null });
    await this.http.insist(`jobs/${path(id)}/signal`, body, options.idempotencyKey ?? randomUUID(), this.#patience);
  }

  async #change(id: string, action: string, reason?: string): Promise<void> {
    // Once: whether it is right to ask again is seen by the state of the job.
    await this.http.call(`jobs/${path(id)}/${action}`, encode({ reason }));
  }
}

function path(id: string): string {
  if (!/^\d+$/.test(String(id))) throw new TypeError(`${id} is no id of a job`);
  return String(id);
}

function added(answer: { id: unknown; added: unknown }): Added {
  return { id: String(answer.id), added: Boolean(answer.added) };
}
