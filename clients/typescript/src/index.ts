export { Howdah, type Added, type JobOptions, type JobState, type NewJob } from "./client.js";
export {
  Cancel,
  ChildFailed,
  ClaimLost,
  Conflict,
  Fatal,
  HowdahError,
  Invalid,
  NoAnswer,
  NotAllowed,
  NotFound,
  NotInstalled,
  Refused,
  Retry,
  Snooze,
  StepFailed,
  Stopped,
  Suspended,
  TimeoutError,
  WaitTimedOut,
  type Problem,
} from "./errors.js";
export { Job, Next, type StopReason } from "./job.js";
export { type Awaitable, type Child, type EventOptions, type First, type ParentEnd, type Signal } from "./waits.js";
export { Worker, type Handler, type WorkerOptions } from "./worker.js";
export * as sql from "./sql.js";
