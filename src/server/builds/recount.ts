/** Counts the counters of builds again, while servers run, and corrects those that are wrong. */
import type { RecountedBuild } from "../core/observer.ts";
import type { Store } from "../db/store.ts";
import { type AccountBuild, recountCounters } from "./recount-counters.ts";
import { listCountedBuilds, listGames } from "./recount-queries.ts";
import { recountTesters } from "./recount-testers.ts";

export interface RecountOptions {
  readonly signal: AbortSignal;
  /** Whether to change nothing, and only count what is wrong. */
  readonly dryRun: boolean;
}

/** Counts a build again. Returns null if nothing was wrong. */
export async function recountBuildOf(
  store: Store,
  build: AccountBuild & { readonly slug: string },
  options: RecountOptions,
): Promise<RecountedBuild | null> {
  // The counters of testers follow from their facts, so these come first.
  const testers = await recountTesters(store, build, options);
  const counters = await recountCounters(store, build, options);
  return testers + counters === 0 ? null : { game: build.slug, build: build.build, testers, counters };
}

/** Number of builds that are listed at once. */
const BUILD_PAGE = 500;

/** Counts all builds again, one by one: yields for each what was wrong; null for nothing. `onBuild` is called before each. */
export async function* recountAllBuilds(
  store: Store,
  options: RecountOptions,
  onBuild: (game: string, build: string) => Promise<void> = async () => {},
): AsyncGenerator<RecountedBuild | null> {
  for (const { id: game_id, slug, account_id } of await listGames(store.readDb)) {
    for (let after: string | null = null; ; ) {
      const page: string[] = await listCountedBuilds(store.readDb, game_id, after, BUILD_PAGE);
      for (const build of page) {
        await onBuild(slug, build);
        yield await recountBuildOf(store, { game_id, account_id, slug, build }, options);
      }
      if (page.length < BUILD_PAGE) break;
      after = page.at(-1) ?? null;
    }
  }
}
