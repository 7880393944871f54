/** What the server says of a request that it refuses, as RFC 9457 has it. */
export interface Problem {
  type?: string;
  title?: string;
  status?: number;
  detail?: string;
  errors?: { pointer?: string; detail?: string }[];
  [field: string]: unknown;
}

/** Of each error of this package. */
export class HowdahError extends Error {
  constructor(words: string, options?: ErrorOptions) {
    super(words, options);
    this.name = new.target.name;
  }
}

/** Nothing has come that tells what became of the request, however often it was made. */
export class NoAnswer extends HowdahError {
  constructor(
    words: string,
    readonly pause = 0,
    options?: ErrorOptions,
  ) {
    super(words, options);
  }
}

/** A job had not ended when the time to wait for it was over. */
export class TimeoutError extends HowdahError {}

/**
 * The server has refused the request, which the same again would not change. `type` is the last part of the type of the problem, such as
 * "claim-lost"; `problem` has all its fields.
 */
export class Refused extends HowdahError {
  readonly type: string;
  readonly detail: string;

  constructor(
    readonly status: number,
    readonly problem: Problem,
  ) {
    const type = String(problem.type ?? "").replace(/^.*:/, "");
    const detail = String(problem.detail ?? problem.title ?? "");
    super(`${status} ${type}: ${detail}`);
    this.type = type;
    this.detail = detail;
  }

  /** JSON pointers of the values that are wrong. */
  get pointers(): string[] {
    return (this.problem.errors ?? []).map((each) => each.pointer ?? "");
  }
}

/** There is no token, it holds no longer, or its role or queues do not allow that. */
export class NotAllowed extends Refused {}
/** The database has no tables of jobs: `howdah job install` creates them. */
export class NotInstalled extends Refused {}
/** There is no such object, or none any more. */
export class NotFound extends Refused {}
/** The job is not this worker's any more. */
export class ClaimLost extends Refused {}
/** The state of the object forbids it. */
export class Conflict extends Refused {}
/** A value cannot be, or there is too much of it. */
export class Invalid extends Refused {}

const ofType: Record<string, typeof Refused> = { "not-installed": NotInstalled, "claim-lost": ClaimLost };
const ofStatus: Record<number, typeof Refused> = {
  400: Invalid,
  401: NotAllowed,
  403: NotAllowed,
  404: NotFound,
  409: Conflict,
  410: NotFound,
  413: Invalid,
  422: Invalid,
};

/** The error of a problem of the server; undefined: a proxy has answered, and the status says enough. */
export function refused(status: number, problem: Problem = {}): Refused {
  const known = ofType[new Refused(status, problem).type] ?? ofStatus[status] ?? Refused;
  return new known(status, problem);
}

/** Thrown by a handler: the attempt failed for a reason that the next one would meet again. */
export class Fatal extends HowdahError {
  /** The call to the server that was answered so. */
  call: number | undefined;
}

/** Thrown where a handler waits for a child or another job that has failed or was cancelled, in each later run the same. */
export class ChildFailed extends Fatal {}

/** Thrown where a wait that has to be met was not, in each later run the same. */
export class WaitTimedOut extends Fatal {}

/** Thrown by a step whose work has thrown something: in this run, and in each later one if the handler goes on. */
export class StepFailed extends HowdahError {
  constructor(
    readonly step: string,
    readonly words: string,
    options?: ErrorOptions,
  ) {
    super(`step "${step}" has failed: ${words}`, options);
  }
}

/** Leaves a handler that waits. Not to be caught: a handler that does is suspended all the same when it returns. */
export class Suspended extends HowdahError {
  constructor(what: string) {
    super(`the job is suspended: it waits for ${what}`);
  }
}

/** Thrown by a handler: the attempt failed, and the next one begins after `delay`. */
export class Retry extends HowdahError {
  constructor(
    words: string,
    readonly delay: string,
  ) {
    super(words);
  }
}

/** Thrown by a handler: the job is due again after `delay`; this was no attempt. */
export class Snooze extends HowdahError {
  constructor(readonly delay: string) {
    super(`for ${delay}`);
  }
}

/** Thrown by a handler: the job is cancelled, which is no failure. */
export class Cancel extends HowdahError {}

/** Thrown by a handler that has ended because `job.stop` was aborted. */
export class Stopped extends HowdahError {}
