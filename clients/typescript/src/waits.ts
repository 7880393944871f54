import { fieldsOf, type NewJob } from "./client.js";
import { ChildFailed, ClaimLost, Fatal, HowdahError, StepFailed, Stopped, Suspended, WaitTimedOut } from "./errors.js";
import type { Http } from "./http.js";
import { duration, encode, storable } from "./values.js";

/** A signal, or an event, that was read. `payload` is null if it has none; `id` is that of its sender, of an event a number. */
export interface Signal<T = any> {
  payload: T;
  id?: string;
  sender: string;
  sent: string;
}

/** A job that the handler has added. */
export interface Child {
  name: string;
  number: number;
  id: string;
}

/** Which of several has ended first: its place from 0, their number if the time was over; with the signal or the event, if it is one. */
export interface First {
  index: number;
  signal?: Signal;
  /** Of a job that is no child. */
  result?: any;
}

/** What several of are waited for: a signal by its name, a child, an event, or the end of a job that is no child. */
export type Awaitable = string | Child | ({ event: string } & EventOptions) | { job: string };

/** What becomes of a child when its parent ends. */
export type ParentEnd = "cancel" | "leave" | "cancel_always";

export interface EventOptions {
  key?: string;
  containing?: unknown;
  onlyNew?: boolean;
}

/** What steps and waits of a job need of its worker. */
export interface Calls {
  http: Http;
  /** What there is to tell of the job: when it waits, nothing more can be told of this run. */
  tell: () => Promise<void>;
  token: string;
  lease: number;
}

/**
 * Steps, children and waits of a job. A wait ends the run: `Suspended` leaves the handler, and the job is given to a worker again when that
 * which it waits for is there. The handler runs again from its top then, and steps, children and waits that were recorded give their
 * results. So what has an effect, or differs from one run to the next, belongs into a step.
 */
export class Waits {
  /** @internal */
  calls: Calls | undefined;
  /** @internal */
  suspended: string | undefined;
  #number = 0;
  readonly #steps = new Set<string>();

  /**
   * Does `work` once, however often the handler runs: what it has returned is recorded, as JSON has it. If it throws and the handler goes on,
   * that is recorded too: StepFailed, or Fatal, here and in each later run.
   */
  async step<T>(name: string, work: () => T | Promise<T>): Promise<T> {
    if (this.#steps.has(name)) throw new TypeError(`step "${name}" runs already: each step needs a name of its own`);
    this.#steps.add(name);
    try {
      const known = await this.#call("step", { name });
      if (known["done"] && known["failed"]) throw failedStep(name, known["failed"].message);
      if (known["done"]) return known["result"];
      const result = await this.#done(name, work);
      let text: string;
      try {
        text = encode(result ?? null);
      } catch (error) {
        throw new Fatal(`step "${name}" is done, and its result is no JSON: ${error}`, { cause: error });
      }
      await this.#call("record", { name, result: result ?? null });
      return JSON.parse(text);
    } finally {
      this.#steps.delete(name);
    }
  }

  async #done<T>(name: string, work: () => T | Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      // Such as Retry and Cancel: how the attempt ends.
      if (error instanceof HowdahError && !(error instanceof Fatal || error instanceof StepFailed)) throw error;
      if (error instanceof Error && error.name === "AbortError") throw error;
      const words = storable(error instanceof Error ? `${error.name}: ${error.message}` : `Error: ${String(error)}`);
      await this.#call("record", { name, error: words });
      throw failedStep(name, words, error);
    }
  }

  /** Waits for a signal; undefined: none came in time. */
  async awaitSignal<T = any>(name: string, atMost: string): Promise<Signal<T> | undefined> {
    return (await this.#wait("signal", { name, at_most: duration(atMost) }))["signal"];
  }

  /** Waits for a signal. WaitTimedOut: none came in time; a handler that does not catch it has failed for good. */
  async awaitSignalOrFail<T = any>(name: string, atMost: string): Promise<Signal<T>> {
    return (await this.#wait("signal", { name, at_most: duration(atMost), or_fail: true }))["signal"];
  }

  /** Waits for an event; undefined: none came in time. */
  async awaitEvent<T = any>(topic: string, atMost: string, options: EventOptions = {}): Promise<Signal<T> | undefined> {
    const { key, containing, onlyNew } = options;
    const fields = { name: topic, at_most: duration(atMost), key, containing, only_new: onlyNew };
    return (await this.#wait("event", fields))["signal"];
  }

  /** Adds a job once for this name. */
  async child(name: string, job: NewJob, parentEnd: ParentEnd = "cancel"): Promise<Child> {
    return (await this.children(name, [job], parentEnd))[0]!;
  }

  /** Adds up to 10,000 jobs once for this name, in one transaction. */
  async children(name: string, jobs: NewJob[], parentEnd: ParentEnd = "cancel"): Promise<Child[]> {
    return (await this.#call("child", { name, jobs: jobs.map(fieldsOf), parent_end: parentEnd }))["children"];
  }

  /** Waits for the result of a child. ChildFailed: it has none; a handler that does not catch it has failed for good. */
  async awaitChild<T = any>(child: Child): Promise<T> {
    return (await this.#wait("child", { children: [child] }))["result"];
  }

  /** Waits until all have ended, however. */
  async awaitChildren(children: Child[]): Promise<void> {
    await this.#wait("children", { children });
  }

  /** Waits for the result of a job that is no child. ChildFailed: it has none; WaitTimedOut: it has not ended in time. */
  async awaitJob<T = any>(name: string, id: string, atMost: string): Promise<T> {
    return (await this.#wait("job", { name, job: id, at_most: duration(atMost) }))["result"];
  }

  /**
   * Waits for the first of several signals, by their names, events, children and other jobs; the others go on. ChildFailed: the first was
   * another job, which has failed or was cancelled.
   */
  async awaitAny(name: string, waits: Awaitable[], atMost?: string): Promise<First> {
    const fields = { name, any: waits.map(anyOf), at_most: atMost && duration(atMost) };
    const { first, signal, result } = await this.#wait("any", fields);
    return { index: first, signal, result };
  }

  /**
   * Whether this run passes this place with the code that has the change of that name. False: an earlier run has recorded something behind it,
   * by the code of before. In a loop it needs the number in its name.
   */
  async patched(name: string): Promise<boolean> {
    return (await this.#call("change", { type: "patched", name }))["patched"];
  }

  /** Says, at the top of the handler, that records of before have another name in this code. */
  async renamed(old: string, name: string): Promise<void> {
    await this.#call("change", { type: "renamed", name, old });
  }

  /** Says, at the top of the handler, that records of that name are not asked for any more. */
  async retired(name: string): Promise<void> {
    await this.#call("change", { type: "retired", name });
  }

  /**
   * Makes a secret with which an outside party can send one signal of that name to this job, such as by a link in a mail. To be called in the
   * step that gives it away: it is kept nowhere, and each call makes another one.
   */
  async signalToken(name: string, keep: string): Promise<string> {
    return (await this.#call("token", { name, keep: duration(keep) }))["secret"];
  }

  /** Begins the job anew with that payload, no records and all unread signals; does not return. */
  async continueAs(payload: unknown): Promise<never> {
    throw new Error(`job did not begin anew: ${await this.#wait("continue", { payload: payload ?? null })}`);
  }

  /** @internal */
  async sleepFor(name: string, length: string | Date, spread: string | undefined): Promise<void> {
    const fields = length instanceof Date ? { until: length.toISOString() } : { duration: duration(length) };
    await this.#wait("sleep", { name, ...fields, spread: spread && duration(spread) });
  }

  async #wait(type: string, fields: Record<string, unknown>): Promise<Record<string, any>> {
    const [step] = this.#steps;
    if (step !== undefined) throw new TypeError(`the job cannot wait while step "${step}" runs, which would be done again`);
    return this.#call("suspend", { type, ...fields });
  }

  async #call(route: string, fields: Record<string, unknown>): Promise<Record<string, any>> {
    if (this.suspended !== undefined) throw new Suspended(this.suspended);
    const { calls } = this;
    if (calls === undefined) throw new TypeError("only a job that a worker has can do that");
    const number = ++this.#number;
    const body = encode({ token: calls.token, number, ...fields });
    await calls.tell();
    let answer: Record<string, any>;
    try {
      answer = await calls.http.insist(`workers/${route}`, body, undefined, calls.lease);
    } catch (error) {
      throw error instanceof ClaimLost ? new Stopped("lost", { cause: error }) : error;
    }
    if (answer["suspended"]) {
      this.suspended = String(fields["name"] ?? fields["type"]);
      throw new Suspended(this.suspended);
    }
    const failed = answer["failed"];
    // Of a step that is done it is what the step has thrown, otherwise why the job cannot go on.
    if (failed === undefined || answer["done"]) return answer;
    const known = ({ ChildFailedException: ChildFailed, WaitTimeoutException: WaitTimedOut } as const)[failed.type as string];
    const error = new (known ?? Fatal)(failed.message);
    error.call = number;
    throw error;
  }
}

function anyOf(wait: Awaitable): Record<string, unknown> {
  if (typeof wait === "string") return { signal: wait };
  if ("job" in wait) return { job: wait.job };
  if ("id" in wait) return { child: wait };
  const { event, key, containing, onlyNew } = wait;
  return { event, key, containing, only_new: onlyNew };
}

function failedStep(name: string, words: string, cause?: unknown): HowdahError {
  const fatal = "Fatal: ";
  return words.startsWith(fatal) ? new Fatal(words.slice(fatal.length), { cause }) : new StepFailed(name, words, { cause });
}
