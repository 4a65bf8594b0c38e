/** Event counts of a service that cannot count by period: one request for each period, build and environment. */
import { type Bucket, bucketAt, type TimeSpan } from "../../shared/calendar.ts";
import type { ExportReader } from "../reader.ts";
import { compareCodeUnits, type ExportPart, type ExportScope } from "./dataset.ts";
import { sessionList } from "./lists.ts";

export interface EventExportRow {
  readonly bucketStart: number;
  readonly game: string;
  readonly build: string;
  readonly environment: string | undefined;
  readonly event: string;
  readonly count: number;
  readonly sessionCount: number;
}

/** The rows of one period, build and environment, by name. */
export function toRows(
  { start, ...common }: Omit<EventExportRow, "bucketStart" | "event" | "count"> & { readonly start: number },
  byName: Readonly<Record<string, number>>,
): EventExportRow[] {
  const names = Object.entries(byName).sort(([a], [b]) => compareCodeUnits(a, b));
  return names.map(([event, count]) => ({ bucketStart: start, ...common, event, count }));
}

/** Reads the counts of each period, build and environment with a separate request. */
export async function* eventPartsByBuild(
  reader: ExportReader,
  scope: ExportScope,
  span: TimeSpan,
): AsyncGenerator<ExportPart<EventExportRow>> {
  const groups = await findGroupsByBucket(reader, scope, span);
  for (const start of [...groups.keys()].sort((a, b) => a - b)) {
    const bucket = bucketAt(start, scope.by, span);
    yield { bucket, rows: readRows(reader, scope, bucket, sortBuilds(groups.get(start))) };
  }
}

/** One hour, day or week, which may have no rows. */
export async function readBucketByBuild(
  reader: ExportReader,
  scope: ExportScope,
  bucket: Bucket,
): Promise<ExportPart<EventExportRow>> {
  const groups = await findGroupsByBucket(reader, scope, bucket);
  return { bucket, rows: readRows(reader, scope, bucket, sortBuilds(groups.get(bucket.start))) };
}

/** The builds of a bucket, each with its environments; undefined for a service that does not report them. */
type EnvironmentsByBuild = Map<string, Set<string | undefined>>;

const sortBuilds = (builds: EnvironmentsByBuild = new Map()) =>
  [...builds].sort(([a], [b]) => compareCodeUnits(a, b));

/** The builds and environments of each bucket with sessions. Reads all sessions, because the API has no such list. */
async function findGroupsByBucket(
  reader: ExportReader,
  { game, by }: ExportScope,
  span: TimeSpan,
): Promise<Map<number, EnvironmentsByBuild>> {
  const byStart = new Map<number, EnvironmentsByBuild>();
  const pages = reader.pages({
    ...span,
    fetchPage: (range) => sessionList.fetch(reader, { game: game.id, ...range }),
    getTime: sessionList.getTime,
  });
  for await (const sessions of pages) {
    for (const { recordedAt, metadata, environment } of sessions) {
      const { start } = bucketAt(recordedAt, by, span);
      const builds: EnvironmentsByBuild = byStart.get(start) ?? new Map();
      const environments = builds.get(metadata.gameVersion) ?? new Set();
      builds.set(metadata.gameVersion, environments.add(environment ?? undefined));
      byStart.set(start, builds);
    }
  }
  return byStart;
}

/** The environments to request for a build, one after the other; undefined for all of them combined. */
function selectEnvironments(
  { environments: selected }: ExportScope,
  found: ReadonlySet<string | undefined>,
): readonly (string | undefined)[] {
  if (selected.length > 0) return selected;
  return found.has(undefined) ? [undefined] : [...found].sort((a = "", b = "") => compareCodeUnits(a, b));
}

async function* readRows(
  reader: ExportReader,
  scope: ExportScope,
  { start, from, to }: Bucket,
  builds: readonly (readonly [build: string, environments: ReadonlySet<string | undefined>])[],
): AsyncGenerator<readonly EventExportRow[]> {
  const { game } = scope;
  for (const [build, found] of builds) {
    for (const environment of selectEnvironments(scope, found)) {
      const env = environment === undefined ? {} : { env: environment };
      const { byName, sessionCount } = await reader.send(() =>
        reader.client.getEvents({ game: game.id, build, from, to, ...env }),
      );
      yield toRows({ start, game: game.slug, build, environment, sessionCount }, byName);
    }
  }
}
