/** Stores the names that commands saw, for completions to offer. Separate from reading them, which must start quickly. */
import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { PRIVATE_MODE, writeFileAtomically } from "../../shared/atomic-file.ts";
import { type CompletionScope, completionFolder, getCacheFilePath, readNameCache } from "./cache-file.ts";
import { mergeObservedNames, type ObservedNames } from "./names.ts";

/** Files that are kept of services elsewhere, and as many of services on this machine, whose addresses change. */
const MAX_FILES = 20;

/** Adds what was seen, in one step, readable by its owner alone. Failures are ignored: completions then offer less. */
export async function cacheNames(
  place: CompletionScope,
  seen: readonly ObservedNames[],
  now: number,
): Promise<void> {
  try {
    const names = seen.reduce((known, one) => mergeObservedNames(known, one, now), readNameCache(place));
    const { profile, baseUrl } = place;
    mkdirSync(completionFolder(place.stateDir), { recursive: true, mode: 0o700 });
    const content = JSON.stringify({ profile, baseUrl, ...names });
    await writeFileAtomically(getCacheFilePath(place), content, { mode: PRIVATE_MODE, durable: false });
    removeOldest(completionFolder(place.stateDir));
  } catch {}
}

/** Removes what is oldest of too many: apart of services on this machine, so that those push no other out. */
function removeOldest(folder: string): void {
  const files = readdirSync(folder).filter((name) => name.includes(".json"));
  for (const local of [true, false]) {
    const some = files.filter((name) => /127\.0\.0\.1|localhost|%3A%3A1/.test(name) === local);
    if (some.length <= MAX_FILES) continue;
    const aged = some.map((name) => [name, statSync(join(folder, name)).mtimeMs] as const);
    for (const [name] of aged.sort((x, y) => y[1] - x[1]).slice(MAX_FILES))
      rmSync(join(folder, name), { force: true });
  }
}
