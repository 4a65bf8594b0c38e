/** Interleaved measuring: every case once a round, so that what else the machine does falls on all of them alike. */

/** One thing that is measured. */
export interface Case {
  readonly name: string;
  /** Does the work once and answers how long it took, in ms. */
  run(round: number): Promise<number> | number;
}

/** The medians of some cases, in ms. */
export type Medians = ReadonlyMap<string, number>;

/** Runs every case once a round, after `warmUps` rounds that are not counted. */
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

/** The middle value; of an even number the mean of the two. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** How long some work takes, in ms. */
export async function timed(work: () => Promise<unknown> | unknown): Promise<number> {
  const start = process.hrtime.bigint();
  await work();
  return Number(process.hrtime.bigint() - start) / 1e6;
}

/** A median that must have been measured. */
export function of(measured: Medians, name: string): number {
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
/** So many a second, given how many took how long. */
export const rate = (count: number, took: number): string =>
  `${Math.round((count / took) * 1000).toLocaleString("en")}/s`;
