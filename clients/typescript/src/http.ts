import { NoAnswer, refused, type Problem } from "./errors.js";
import { now, sleep } from "./values.js";

/** Requests to the server: made again where that is right. */
export class Http {
  readonly #base: string;
  readonly #headers: Record<string, string>;

  constructor(url: string, token: string | undefined) {
    const address = new URL(url);
    if (!/^https?:$/.test(address.protocol)) throw new TypeError(`${url} is no address such as http://127.0.0.1:8080`);
    this.#base = url.replace(/\/+$/, "") + "/api/v1/";
    this.#headers = { "Content-Type": "application/json", Accept: "application/json" };
    if (token) this.#headers["Authorization"] = `Bearer ${token}`;
  }

  /** One request; without a body it reads. NoAnswer: the same one again may be answered. */
  async call(path: string, body?: string, key?: string, timeout = 15): Promise<any> {
    let status: number;
    let content: string;
    let after: string | null;
    try {
      const answer = await fetch(this.#base + path, {
        method: body === undefined ? "GET" : "POST",
        body,
        headers: key === undefined ? this.#headers : { ...this.#headers, "Idempotency-Key": key },
        signal: AbortSignal.timeout(Math.ceil(timeout * 1000)),
        redirect: "manual",
      });
      status = answer.status;
      after = answer.headers.get("Retry-After");
      content = await answer.text();
    } catch (error) {
      const cause = (error as Error).cause ?? error;
      throw new NoAnswer(`no answer to ${path}: ${cause}`, 0, { cause: error });
    }
    let value: unknown;
    try {
      value = JSON.parse(content);
    } catch (error) {
      // A proxy has answered, or half of the answer is missing.
      if (status < 300) throw new NoAnswer(`the answer to ${path} is no JSON: ${error}`, 0, { cause: error });
    }
    if (status < 300) return value;
    const problem = refused(status, typeof value === "object" && value !== null ? (value as Problem) : undefined);
    if (status === 408 || status === 429 || status >= 500)
      throw new NoAnswer(problem.message, /^\d+$/.test(after ?? "") ? Number(after) : 0, { cause: problem });
    throw problem;
  }

  /** The same request until there is an answer, for some time. */
  async insist(path: string, body: string | undefined, key?: string, time = 30): Promise<any> {
    const until = now() + time;
    const pauses = new Pauses();
    for (;;) {
      try {
        return await this.call(path, body, key);
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
        const pause = pauses.next(error);
        if (now() + pause > until) throw error;
        await sleep(pause);
      }
    }
  }
}

/** Between requests without an answer: they grow, and differ from those of others. */
export class Pauses {
  #usual = 0.2;

  next(error?: NoAnswer): number {
    const pause = Math.max(error?.pause ?? 0, this.#usual * (0.5 + Math.random()));
    this.#usual = Math.min(2 * this.#usual, 10);
    return pause;
  }
}
