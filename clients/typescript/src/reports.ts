import { Bell } from "./bell.js";
import { ClaimLost, HowdahError, NoAnswer, NotAllowed, Refused, refused, type Problem } from "./errors.js";
import { Http, Pauses } from "./http.js";
import type { Job, StopReason } from "./job.js";
import { encode, now, sleep, storable } from "./values.js";

/** Jobs of a request. */
export const MANY = 100;
const BYTES = 900_000;
const AT_A_TIME = 3;
const REASONS: Record<string, StopReason> = { "node-stopping": "stopping", "claim-lost": "lost", timeout: "timeout" };

/** What becomes of jobs, in words. */
export type Log = (level: "info" | "warn", words: string) => void;

/** Keeps the leases of jobs, also of those that have not begun. */
export class Beats {
  readonly #jobs = new Set<Job>();
  #timer: NodeJS.Timeout | undefined;
  #wakesAt = Infinity;

  constructor(
    readonly http: Http,
    readonly refusedForGood: (error: HowdahError) => void,
    readonly log: Log,
  ) {}

  add(jobs: Job[]): void {
    for (const job of jobs) {
      this.#jobs.add(job);
      job.held.onReport = () => {
        job.held.nextBeat = Math.min(job.held.nextBeat, now() + 0.5);
        this.#arm(job.held.nextBeat);
      };
      this.#arm(job.held.attention);
    }
  }

  remove(job: Job): void {
    this.#jobs.delete(job);
  }

  /** The job is stopped then. */
  until(job: Job, deadline: number): void {
    job.held.deadline = deadline;
    this.#arm(deadline);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#jobs.clear();
  }

  #arm(at: number): void {
    if (at >= this.#wakesAt) return;
    this.#wakesAt = at;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#wake(), Math.min(Math.max(at - now(), 0) * 1000 + 1, 3_600_000));
  }

  #wake(): void {
    const time = now();
    const due: Job[] = [];
    for (const job of this.#jobs) {
      if (job.held.isSaid || job.held.checkLost(time)) continue;
      if (job.held.deadline <= time) {
        job.held.deadline = Infinity;
        job.held.interrupt("timeout");
      }
      if (job.held.nextBeat <= time + job.held.lease / 12) due.push(job);
    }
    for (let first = 0; first < due.length; first += MANY) void this.send(due.slice(first, first + MANY));
    this.#wakesAt = Infinity;
    let next = Infinity;
    for (const job of this.#jobs) next = Math.min(next, job.held.attention);
    this.#arm(next);
  }

  /** A heartbeat of each job, with what there is to tell of it. */
  async send(jobs: Job[]): Promise<void> {
    const reports = jobs.map((job) => job.held.takeReport());
    const body = encode({ jobs: jobs.map((job, number) => ({ token: job.held.token, ...reports[number] })) });
    const sent = now();
    for (const job of jobs) job.held.nextBeat = sent + job.held.lease / 3;
    try {
      const timeout = Math.min(...jobs.map((job) => job.held.lease)) / 3;
      const answer = await this.http.call("workers/heartbeat/batch", body, undefined, timeout);
      jobs.forEach((job, number) => this.#answered(job, answer.jobs[number], sent));
    } catch (error) {
      if (error instanceof NoAnswer) {
        jobs.forEach((job, number) => {
          job.held.putBack(reports[number]!);
          job.held.nextBeat = now() + job.held.lease / 9;
          this.#arm(job.held.nextBeat);
        });
      } else if (error instanceof Refused) {
        this.log("warn", `a heartbeat was refused: ${error.message}`);
        if (error instanceof NotAllowed) this.refusedForGood(error);
      } else throw error;
    }
  }

  #answered(job: Job, answer: any, sent: number): void {
    const problem: Problem | undefined = answer.problem;
    if (problem === undefined) {
      job.held.heldUntil = sent + answer.lease;
      if (answer.cancel) job.held.interrupt(REASONS[answer.stop] ?? "cancelled");
    } else if (refused(problem.status ?? 0, problem) instanceof ClaimLost && !job.held.isSaid) job.held.lose();
  }
}

/** The outcomes of jobs. */
export type Outcome = "complete" | "fail" | "snooze" | "release" | "cancel";

/** How a job ended, in the bytes that are sent until there is an answer. */
export class End {
  readonly text: string;
  readonly size: number;
  readonly until: number;

  constructor(
    readonly job: Job,
    readonly outcome: Outcome,
    readonly fields: Record<string, unknown>,
    readonly isRepeated = false,
  ) {
    this.text = encode({ token: job.held.token, outcome, ...fields });
    this.size = Buffer.byteLength(this.text) + 1;
    this.until = now() + job.held.lease;
  }

  /** Of an end that cannot be stored; undefined: nothing else can be said. */
  inOtherWords(error: Refused): End | undefined {
    if (!["complete", "fail"].includes(this.outcome) || this.isRepeated) return undefined;
    const words = `its ${this.outcome === "complete" ? "result" : "error"} was refused: ${error.message}`;
    const retry = this.outcome === "fail" && this.fields["retry"] !== false;
    return new End(this.job, "fail", { error: storable(words), retry }, this.outcome === "fail");
  }
}

/** Writes how jobs ended: what has ended while a request was on its way is in the next one. */
export class Ends {
  #waiting: End[] = [];
  #unwritten = 0;
  #busy = 0;
  #isGathering = false;
  readonly #news = new Bell();
  readonly #written = new Bell();

  constructor(
    readonly http: Http,
    readonly refusedForGood: (error: HowdahError) => void,
    readonly log: Log,
  ) {}

  put(end: End): void {
    this.#waiting.push(end);
    this.#unwritten++;
    if (this.#waiting.length >= MANY) this.#news.ring();
    this.#gather();
  }

  /** Waits until fewer than so many are unwritten. */
  awaitBelow(most: number, seconds: number): Promise<boolean> {
    return this.#written.until(() => this.#unwritten < most, seconds);
  }

  #gather(): void {
    if (this.#isGathering || this.#busy >= AT_A_TIME || this.#waiting.length === 0) return;
    this.#isGathering = true;
    // Those that end in the same moment are told together, and more while another request is on its way.
    setImmediate(async () => {
      if (this.#busy > 0) await this.#news.until(() => this.#waiting.length >= MANY || this.#busy === 0, 0.01);
      this.#isGathering = false;
      const batch = this.#take();
      this.#busy++;
      this.#gather();
      try {
        await this.#send(batch);
      } finally {
        this.#busy--;
        this.#news.ring();
        this.#gather();
      }
    });
  }

  #take(): End[] {
    let size = 0;
    let number = 0;
    for (const end of this.#waiting.slice(0, MANY)) {
      size += end.size;
      if (number > 0 && size > BYTES) break;
      number++;
    }
    return this.#waiting.splice(0, number);
  }

  /** Until each is answered, or its lease is over. */
  async #send(batch: End[]): Promise<void> {
    const pauses = new Pauses();
    for (;;) {
      batch = batch.filter((end) => this.#holds(end));
      if (batch.length === 0) return;
      let pause = 0;
      try {
        const answer = await this.http.call("workers/end/batch", `{"jobs":[${batch.map((end) => end.text).join(",")}]}`);
        batch = batch.filter((end, number) => !this.#answered(end, answer.jobs[number]));
        if (batch.length > 0) pause = pauses.next();
      } catch (error) {
        if (error instanceof NoAnswer) {
          pause = pauses.next(error);
          if (batch.every((end) => now() + pause > end.until)) {
            for (const end of batch) this.#done(end, "lost", error.message);
            return;
          }
        } else if (error instanceof Refused) batch = await this.#refused(batch, error);
        else throw error;
      }
      if (pause > 0) await sleep(pause);
    }
  }

  #holds(end: End): boolean {
    if (now() <= end.until) return true;
    this.#done(end, "lost", "its lease is over");
    return false;
  }

  /** False: it has to be sent again. */
  #answered(end: End, answer: any): boolean {
    const problem: Problem | undefined = answer.problem;
    const status = problem?.status ?? 500;
    if (problem === undefined) this.#done(end, "ended", end.outcome);
    else if (status === 408 || status === 429 || status >= 500) return false;
    else this.#cannot(end, refused(status, problem));
    return true;
  }

  /** The request was refused as a whole; returns what is sent anew. */
  async #refused(batch: End[], error: Refused): Promise<End[]> {
    if (error instanceof NotAllowed) this.refusedForGood(error);
    const wrong = new Set(error.pointers.filter((each) => each.startsWith("/jobs/")).map((each) => Number(each.split("/")[2])));
    if (batch.length === 1) wrong.add(0);
    else if (wrong.size === 0) {
      // Such as too many bytes: it is seen of which.
      for (const end of batch) await this.#send([end]);
      return [];
    }
    for (const each of wrong) this.#cannot(batch[each]!, error);
    return batch.filter((_, number) => !wrong.has(number));
  }

  #cannot(end: End, error: Refused): void {
    // 410: another attempt runs, or will. 409: its end is another one.
    const other = error.status === 413 || error.status === 422 ? end.inOtherWords(error) : undefined;
    if (other === undefined) return this.#done(end, "lost", error.message);
    this.log("warn", `refused ${end.job.id} ${other.fields["error"]}`);
    this.put(other);
    this.#unwritten--;
  }

  #done(end: End, word: "ended" | "lost", why: string): void {
    this.log(word === "ended" ? "info" : "warn", `${word} ${end.job.id} ${why}`);
    this.#unwritten--;
    this.#written.ring();
  }
}
