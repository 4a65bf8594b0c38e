/** What an export asks for, as far as rows of another one would not fit beside its own. */

/** What must stay the same from run to run in a folder. */
export interface ExportQuery {
  /** Origin of the service. */
  readonly service: string;
  /** hour, day or week; null for what has no time. */
  readonly by: string | null;
  /** In the order of code units, each once; empty for all together. */
  readonly environments: readonly string[];
  readonly format: string;
  readonly gzip: boolean;
}

/** What differs, as `by was "day" and is "hour"`; empty where nothing does. */
export function describeDifferences<T extends object>(
  before: Partial<Record<keyof T, unknown>>,
  now: T,
): string {
  return (Object.entries(now) as [keyof T & string, unknown][])
    .filter(([name, value]) => JSON.stringify(before[name]) !== JSON.stringify(value))
    .map(([name, value]) => `${name} was ${JSON.stringify(before[name])} and is ${JSON.stringify(value)}`)
    .join("; ");
}
