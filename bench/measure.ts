/** Interleaved measurements: every case runs once per round, so that other load on the machine affects all of them alike. */

/** One measured case. */
export interface Case {
  readonly name: string;
  /** Runs the case once, and returns its duration in ms. */
  run(round: number): Promise<number> | number;
}

/** The median duration of each case, in ms. */
export type Medians = ReadonlyMap<string, number>;

/** Runs every case once per round, after `warmUps` rounds that are not measured. */
export async function medians(cases: readonly Case[], rounds: number, warmUps = 1): Promise<Medians> {
  const times = new Map(cases.map(({ name }) => [name, [] as number[]]));
  for (let round = 0; round < rounds + warmUps; round += 1) {
    for (const { name, run } of cases) {
      const ms = await run(round);
      if (round >= warmUps) times.get(name)?.push(ms);
    }
  }
  return new Map([...times].map(([name, values]) => [name, median(values)]));
}

/** The middle value, or the mean of the two middle values. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** Measures the duration of `work`, in ms. */
export async function timed(work: () => Promise<unknown> | unknown): Promise<number> {
  const start = process.hrtime.bigint();
  await work();
  return Number(process.hrtime.bigint() - start) / 1e6;
}

/** The median of a case. Throws if it was not measured. */
export function getMedian(measured: Medians, name: string): number {
  const value = measured.get(name);
  if (value === undefined) throw new RangeError(`${name} was not measured`);
  return value;
}

/** Prints a heading and rows of aligned cells. */
export function print(heading: string, rows: readonly (readonly string[])[]): void {
  const widths: number[] = [];
  for (const row of rows)
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length);
  const lines = rows.map((row) =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join("  "),
  );
  console.log([`\n${heading}`, ...lines.map((line) => `  ${line}`)].join("\n"));
}

export const ms = (value: number): string => `${value < 10 ? value.toFixed(2) : value.toFixed(1)} ms`;
export const ratio = (value: number): string => value.toFixed(2);
/** Formats a rate per second, from a count and a duration in ms. */
export const rate = (count: number, durationMs: number): string =>
  `${Math.round((count / durationMs) * 1000).toLocaleString("en")}/s`;
