/** Chooses the two builds of a comparison whose address does not name both. */
import { type BuildList, listBuilds } from "../../contract/build-list.ts";
import { isKnownBuild, MIN_COMPARED_TESTERS } from "../../contract/build-order.ts";
import {
  isBuildWord,
  type NamedPair,
  type OrderedBuild,
  resolveBuildWords,
} from "../../shared/build-words.ts";
import { isAcceptedBuild, MAX_BUILD_CHOICES, toListEnv } from "../filter-form.ts";
import { isNotFound, type PageContext } from "../page.ts";

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
): Promise<NamedPair> {
  if (!isBuildWord(a) && !isBuildWord(b)) return { a, b, skipped: [] };
  return resolveBuildWords({ a, b }, await listBuildsOf(scope, call), MIN_COMPARED_TESTERS);
}

/** The builds of the environment, the last one first. */
async function listBuildsOf(
  { game, env, builds }: PairScope,
  call: PageContext["call"],
): Promise<OrderedBuild[]> {
  const selected = toListEnv(env);
  const list =
    selected === undefined
      ? builds
      : await call(listBuilds, { game, env: selected, limit: MAX_BUILD_CHOICES }).catch((error: unknown) => {
          // The default environment may have no sessions.
          if (env === undefined && isNotFound(error)) return { items: [] };
          throw error;
        });
  return list.items.filter((build) => isKnownBuild(build) && isAcceptedBuild(build.version));
}
