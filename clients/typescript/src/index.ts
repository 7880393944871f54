export { Howdah, type Added, type JobOptions, type JobState, type NewJob } from "./client.js";
export {
  Cancel,
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
  Stopped,
  TimeoutError,
  type Problem,
} from "./errors.js";
export { Job, Next, type StopReason } from "./job.js";
export { Worker, type Handler, type WorkerOptions } from "./worker.js";
export * as sql from "./sql.js";
