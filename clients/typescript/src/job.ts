import { Stopped } from "./errors.js";
import { storable } from "./values.js";
import { Waits } from "./waits.js";

/** Why a handler shall end: "lost" if another attempt runs, or will. */
export type StopReason = "cancelled" | "timeout" | "stopping" | "lost";

/** In place of a result: the job goes on as one of this kind, with its own payload and queue unless others are given. */
export class Next {
  readonly fields: { kind: string; payload?: unknown; queue?: string };

  constructor(kind: string, ...others: [payload?: unknown, queue?: string]) {
    const [payload, queue] = others;
    this.fields = { kind, ...(others.length > 0 && { payload }), ...(queue !== undefined && { queue }) };
  }
}

/** What is told of a job with its next heartbeat. */
export interface Report {
  progress?: number;
  message?: string;
  log?: string[];
}

/**
 * What a handler is given. `stop` is aborted when the handler shall end, and `reason` says why. Jobs run at least once: what another system
 * is told has a key of the job, such as `job.key("charge")`, by which that system knows a repeat, or `fencingToken`, which grows with each
 * attempt.
 */
export class Job<P = any> extends Waits {
  readonly id: string;
  readonly queue: string;
  readonly kind: string;
  readonly payload: P;
  readonly attempt: number;
  readonly lastAttempt: boolean;
  readonly fencingToken: string;
  readonly runAt: string | undefined;
  readonly created: string | undefined;
  readonly timeout: string | undefined;
  readonly tags: string[];
  readonly metadata: Record<string, unknown>;
  readonly trace: Record<string, string>;
  readonly predecessors: Record<string, { state: string; result?: any; error?: string }>;
  /** @internal */
  readonly held: Held;

  /** @internal */
  constructor(
    readonly fields: Record<string, any>,
    sent: number,
  ) {
    super();
    this.id = fields["id"];
    this.queue = fields["queue"];
    this.kind = fields["kind"];
    this.payload = fields["payload"];
    this.attempt = fields["attempt"];
    this.lastAttempt = fields["last_attempt"];
    this.fencingToken = fields["fencing_token"];
    this.runAt = fields["run_at"];
    this.created = fields["created"];
    this.timeout = fields["timeout"];
    this.tags = fields["tags"] ?? [];
    this.metadata = fields["metadata"] ?? {};
    this.trace = fields["trace"] ?? {};
    this.predecessors = fields["predecessors"] ?? {};
    this.held = new Held(fields["token"], fields["lease"], sent);
  }

  get stop(): AbortSignal {
    return this.held.stop.signal;
  }

  get reason(): StopReason | undefined {
    return this.held.reason;
  }

  /** The same for each attempt. */
  key(purpose: string): string {
    return `howdah-${this.id}-${purpose}`;
  }

  /** Stopped: the handler shall end. */
  check(): void {
    this.stop.throwIfAborted();
  }

  /** Waits for so many seconds, in this run; Stopped: the handler shall end. */
  sleep(seconds: number): Promise<void>;
  /** Waits without a claim, for a time such as "PT72H" or until one, up to `spread` longer: see Waits. */
  sleep(name: string, length: string | Date, spread?: string): Promise<void>;
  sleep(seconds: number | string, length?: string | Date, spread?: string): Promise<void> {
    if (typeof seconds === "string") {
      if (length === undefined) throw new TypeError(`for how long is sleep "${seconds}"?`);
      return this.sleepFor(seconds, length, spread);
    }
    return new Promise((resolve, reject) => {
      const ended = () => {
        clearTimeout(timer);
        reject(this.stop.reason);
      };
      const timer = setTimeout(() => {
        this.stop.removeEventListener("abort", ended);
        resolve();
      }, seconds * 1000);
      if (this.stop.aborted) ended();
      else this.stop.addEventListener("abort", ended, { once: true });
    });
  }

  /** Says how far it is, from 0 to 1. It is sent within a second. */
  progress(done: number, message?: string): void {
    if (!(done >= 0 && done <= 1)) throw new RangeError(`progress is from 0 to 1, not ${done}`);
    this.held.report.progress = done;
    if (message !== undefined) this.held.report.message = storable(message);
    this.held.onReport();
  }

  /** Lines for the log of the job. They are sent within a second, and before its end. */
  log(...lines: string[]): void {
    (this.held.report.log ??= []).push(...lines.map(storable));
    this.held.onReport();
  }
}

/** What the worker knows of a job that it has. */
export class Held {
  readonly stop = new AbortController();
  reason: StopReason | undefined;
  heldUntil: number;
  nextBeat: number;
  deadline = Infinity;
  isCancelled = false;
  isLost = false;
  isSaid = false;
  report: Report = {};
  onReport: () => void = () => {};

  constructor(
    readonly token: string,
    readonly lease: number,
    sent: number,
  ) {
    this.heldUntil = sent + lease;
    this.nextBeat = sent + lease / 3;
  }

  get hasReport(): boolean {
    return Object.keys(this.report).length > 0;
  }

  /** A request takes up to 100 lines; those that are left are for the next one. */
  takeReport(): Report {
    const report = this.report;
    const rest = report.log?.splice(100) ?? [];
    this.report = rest.length > 0 ? { log: rest } : {};
    return report;
  }

  putBack(report: Report): void {
    const lines = [...(report.log ?? []), ...(this.report.log ?? [])];
    this.report = { ...report, ...this.report, ...(lines.length > 0 && { log: lines }) };
  }

  interrupt(reason: StopReason): void {
    if (reason === "cancelled") this.isCancelled = true;
    if (this.reason !== undefined) return;
    this.reason = reason;
    this.stop.abort(new Stopped(reason));
  }

  lose(): void {
    this.isLost = true;
    this.interrupt("lost");
  }

  /** By the clock of this machine, from before the last request that was answered was sent. */
  checkLost(time: number): boolean {
    if (time >= this.heldUntil && !this.isLost) this.lose();
    return this.isLost;
  }

  get attention(): number {
    return this.isSaid || this.isLost ? Infinity : Math.min(this.nextBeat, this.heldUntil, this.deadline);
  }
}
