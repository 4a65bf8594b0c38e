/** Chooses the two builds of a comparison whose address does not name both. */

import { type BuildList, listBuilds } from "../../contract/build-list.ts";
import { isKnownBuild } from "../../contract/build-order.ts";
import { MAX_BUILD_CHOICES, toListEnv } from "../filter-form.ts";
import { isNotFound, type PageContext } from "../page.ts";

/** The versions; null if there is no such build. */
export interface BuildPair {
  readonly a: string | null;
  readonly b: string | null;
}

interface PairScope {
  readonly game: string;
  readonly env: string | undefined;
  /** The builds of all environments. */
  readonly builds: BuildList;
}

/**
 * The two builds. Without a version, or for the words of the command line, b is the latest build of the environment and a
 * the one before b.
 */
export async function choosePair(
  { a = "previous", b = "latest" }: { readonly a: string | undefined; readonly b: string | undefined },
  scope: PairScope,
  call: PageContext["call"],
): Promise<BuildPair> {
  if (!isWord(a) && !isWord(b)) return { a, b };
  const versions = await listVersions(scope, call);
  const latest = versions[0] ?? null;
  const before = (version: string | null) => {
    const at = version === null ? -1 : versions.indexOf(version);
    return at < 0 ? null : (versions[at + 1] ?? null);
  };
  const resolve = (word: string, previous: string | null) =>
    word === "latest" ? latest : word === "previous" ? previous : word;
  const after = resolve(b, before(latest));
  return { a: resolve(a, before(after)), b: after };
}

const isWord = (version: string) => version === "latest" || version === "previous";

/** The builds of the environment, the last one first. */
async function listVersions({ game, env, builds }: PairScope, call: PageContext["call"]): Promise<string[]> {
  const selected = toListEnv(env);
  const list =
    selected === undefined
      ? builds
      : await call(listBuilds, { game, env: selected, limit: MAX_BUILD_CHOICES }).catch((error: unknown) => {
          // The default environment may have no sessions.
          if (env === undefined && isNotFound(error)) return { items: [] };
          throw error;
        });
  return list.items.filter(isKnownBuild).map(({ version }) => version);
}
