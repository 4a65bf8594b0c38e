/** Caches names from responses, for completions. Separate from the code that reads the cache, which must start quickly. */
import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { PRIVATE_MODE, writeFileAtomically } from "../../shared/atomic-file.ts";
import { createPrivateFolder } from "../../shared/private-folder.ts";
import {
  type CompletionScope,
  completionFolder,
  getCacheFilePath,
  mergeObservedNames,
  type ObservedNames,
  readNameCache,
} from "./names.ts";

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
