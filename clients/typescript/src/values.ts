/** Half of a pair of surrogates: with the flag u, a pair is one character. */
const LONE = /[\ud800-\udfff]/u;
const SUSPECT = /\\u0000|\\ud[89a-f]|null/;

/** JSON. What the database does not keep, or JSON has not, is a TypeError. */
export function encode(value: unknown): string {
  const text = JSON.stringify(value ?? null);
  if (text === undefined) throw new TypeError(`a ${typeof value} has no JSON`);
  if (SUSPECT.test(text)) JSON.stringify(value, check);
  return text;
}

function check(name: string, value: unknown): unknown {
  for (const each of [name, value]) {
    if (typeof each === "number" && !Number.isFinite(each)) throw new TypeError(`${each} is no number of JSON`);
    if (typeof each !== "string") continue;
    if (each.includes("\0")) throw new TypeError("the database keeps no text with the character 0");
    if (LONE.test(each)) throw new TypeError("half of a pair of surrogates is no text of UTF-8");
  }
  return value;
}

/** What the database takes as an error: 8,000 characters, without the character 0 or half of a pair of surrogates. */
export function storable(words: string): string {
  return words.slice(0, 8000).replaceAll("\0", "\ufffd").replace(new RegExp(LONE, "gu"), "\ufffd");
}

/** A number is refused: its unit would be a guess. */
export function duration(value: string): string {
  if (typeof value !== "string") throw new TypeError(`a duration is a text such as "PT90S", not ${value}`);
  return value;
}

/** Of a duration as the server gives it, such as PT1H2M3.5S. */
export function seconds(text: string | undefined): number | undefined {
  const parts = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?)?$/.exec(text ?? "");
  if (parts === null) return undefined;
  return [86_400, 3_600, 60, 1].reduce((sum, unit, number) => sum + unit * Number(parts[number + 1] ?? 0), 0);
}

/** Seconds of a clock that is never set. */
export function now(): number {
  return performance.now() / 1000;
}

export function sleep(time: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, time * 1000));
}
