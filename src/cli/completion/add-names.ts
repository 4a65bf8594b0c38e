/** Caches names from responses, for completions. Separate from the code that reads the cache, which must start quickly. */
import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Output } from "../../contract/define.ts";
import type { Endpoints } from "../../contract/index.ts";
import { PRIVATE_MODE, writeFileAtomically } from "../../shared/atomic-file.ts";
import { createPrivateFolder } from "../../shared/private-folder.ts";
import {
  type CompletionScope,
  completionFolder,
  getCacheFilePath,
  mergeObservedNames,
  type NameEntry,
  type NameKind,
  type ObservedNames,
  readNameCache,
} from "./names.ts";

/** The names in a response by kind, and the game for which they are complete (see `ObservedNames`). */
type ExtractedNames = readonly [
  completeFor: string | null,
  names: { readonly [Kind in NameKind]?: readonly NameEntry[] },
];

/** By endpoint name. */
const extractors: {
  readonly [Name in keyof Endpoints]?: (output: Output<Endpoints[Name]>) => ExtractedNames;
} = {
  listGames: ({ games }) => ["*", { games: games.map(({ slug, id, createdAt }) => [slug, id, createdAt]) }],
  listSessions: ({ items }) => [
    null,
    {
      sessions: items.map(({ id, gameId, recordedAt }) => [id, gameId, recordedAt]),
      builds: items.map(({ metadata, gameId, recordedAt }) => [metadata.gameVersion, gameId, recordedAt]),
    },
  ],
  listBuilds: ({ game, items }) => [
    null,
    { builds: items.map(({ version, lastSeen }) => [version, game.id, lastSeen]) },
  ],
  listBatches: ({ game, batches }) => [
    game.id,
    { batches: batches.map(({ id, created_at }) => [id, game.id, created_at]) },
  ],
  listGameExperiments: ({ game, experiments }) => [
    game.id,
    { experiments: experiments.map(({ id, startedAt }) => [id, game.id, startedAt ?? 0]) },
  ],
};

/** The names in a response; none for most endpoints. */
export function extractNames(
  endpoint: string,
  input: Readonly<Record<string, unknown>>,
  output: unknown,
): ObservedNames[] {
  const extract = extractors[endpoint as keyof Endpoints] as
    | ((output: unknown) => ExtractedNames)
    | undefined;
  if (!extract) return [];
  const [completeFor, names] = extract(output);
  const game = input.game ?? input.id;
  const requestedGame = typeof game === "string" ? game : "";
  return (Object.entries(names) as [NameKind, readonly NameEntry[]][]).map(([kind, entries]) => ({
    kind,
    entries,
    requestedGame,
    completeFor,
  }));
}

/** The maximum number of cache files, separately for remote and local services. */
const MAX_FILES = 20;

/** Adds names to the cache. Only the owner can read the file. Errors are ignored, because they only mean fewer completions. */
export async function cacheNames(
  scope: CompletionScope,
  observed: readonly ObservedNames[],
  now: number,
): Promise<void> {
  try {
    const names = observed.reduce(
      (cache, newNames) => mergeObservedNames(cache, newNames, now),
      readNameCache(scope),
    );
    const { profile, baseUrl } = scope;
    createPrivateFolder(completionFolder(scope.stateDir));
    const content = JSON.stringify({ profile, baseUrl, ...names });
    await writeFileAtomically(getCacheFilePath(scope), content, { mode: PRIVATE_MODE, durable: false });
    removeOldestFiles(completionFolder(scope.stateDir));
  } catch {}
}

/** Deletes the oldest files. Local services are counted separately, because their ports change often. */
function removeOldestFiles(folder: string): void {
  const files = readdirSync(folder).filter((name) => name.includes(".json"));
  for (const local of [true, false]) {
    const group = files.filter((name) => /127\.0\.0\.1|localhost|%3A%3A1/.test(name) === local);
    if (group.length <= MAX_FILES) continue;
    const withTimes = group.map((name) => [name, statSync(join(folder, name)).mtimeMs] as const);
    for (const [name] of withTimes.sort((x, y) => y[1] - x[1]).slice(MAX_FILES))
      rmSync(join(folder, name), { force: true });
  }
}
