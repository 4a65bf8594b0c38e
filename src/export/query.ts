/** The properties of an export that all files in a folder must share. */

export interface ExportQuery {
  /** The URL of the service. */
  readonly service: string;
  /** hour, day or week; null for datasets without time. */
  readonly by: string | null;
  /** Sorted by code units, without duplicates; empty for all environments combined. */
  readonly environments: readonly string[];
  readonly format: string;
  readonly gzip: boolean;
}

/** The properties as people set them. */
const labels: ReadonlyMap<string, string> = new Map([
  ["service", "the service"],
  ["by", "--by"],
  ["environments", "--env"],
  ["format", "--format"],
  ["gzip", "--gzip"],
]);

/** The differences, such as `--by was "day" and is now "hour"`; empty if there are none. */
export function describeDifferences<T extends object>(
  before: Partial<Record<keyof T, unknown>>,
  now: T,
): string {
  return (Object.entries(now) as [keyof T & string, unknown][])
    .filter(([name, value]) => JSON.stringify(before[name]) !== JSON.stringify(value))
    .map(
      ([name, value]) =>
        `${labels.get(name) ?? name} was ${JSON.stringify(before[name])} and is now ${JSON.stringify(value)}`,
    )
    .join("; ");
}
