/**
 * Compares the counters of builds with counters that earlier versions maintain too, from time to time, and recounts the builds
 * that differ: a server of an earlier version may still store sessions in the same database.
 */
import { recordChange } from "../audit/audit.ts";
import type { RecountedBuild } from "../core/observer.ts";
import type { Service } from "../db/service.ts";
import { findReachableGames } from "../db/sharding.ts";
import { recountBuildOf } from "./recount.ts";
import { findDifferingBuilds, listGames } from "./recount-queries.ts";

/** The wait before the first check, so that a server that starts is not slowed down, ms. */
const FIRST_WAIT_MS = 60_000;
/** The wait between two checks, ms. */
const PAUSE_MS = 10 * 60_000;
/** Maximum number of builds of a game per check. The others follow in the next one. */
const MAX_BUILDS = 100;

export interface RecountWatch {
  start(): void;
  /** Checks all games now, and recounts what differs. Returns the builds that were corrected. */
  check(): Promise<RecountedBuild[]>;
  stop(): Promise<void>;
}

/** Creates the watch of a service. Several servers may run it on the same database. */
export function createRecountWatch(service: Service): RecountWatch {
  const { store, stopping } = service;
  /** By game, the builds that still differed after a recount had found nothing wrong. */
  const unresolved = new Map<string, readonly string[]>();
  let timer: NodeJS.Timeout | undefined;
  let checking: Promise<unknown> = Promise.resolve();

  /** Runs work whose failure must not keep others from being checked. */
  const attempt = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      if (!stopping.aborted) service.report("the recount of builds", error);
    }
  };
  const checkGame = async (
    game: { id: string; slug: string; account_id: string },
    corrected: RecountedBuild[],
  ) => {
    const before = unresolved.get(game.id) ?? [];
    const differing = await findDifferingBuilds(store.readDb, game.id, MAX_BUILDS);
    const unchanged = differing.filter((build) => before.includes(build));
    const recount = async (build: string) => {
      const key = { game_id: game.id, account_id: game.account_id, slug: game.slug, build };
      const found = await recountBuildOf(store, key, { signal: stopping, dryRun: false });
      if (found) corrected.push(found);
      // Another server may have corrected it meanwhile.
      else if ((await findDifferingBuilds(store.readDb, game.id, MAX_BUILDS)).includes(build))
        unchanged.push(build);
    };
    for (const build of differing) {
      if (stopping.aborted) break;
      if (!before.includes(build)) await attempt(() => recount(build));
    }
    unresolved.set(game.id, unchanged);
  };
  const check = async () => {
    const corrected: RecountedBuild[] = [];
    const reachable = findReachableGames(store.readDb);
    for (const game of await listGames(store.readDb)) {
      if (stopping.aborted) break;
      if (reachable === null || reachable.has(game.id)) await attempt(() => checkGame(game, corrected));
    }
    if (corrected.length > 0) await announce(service, corrected);
    return corrected;
  };
  const schedule = (ms: number) => {
    if (stopping.aborted) return;
    timer = setTimeout(() => {
      checking = check()
        .catch((error: unknown) => {
          if (!stopping.aborted) service.report("the recount of builds", error);
        })
        .then(() => schedule(PAUSE_MS));
    }, ms);
    timer.unref();
  };
  return {
    start: () => schedule(FIRST_WAIT_MS),
    check,
    async stop() {
      clearTimeout(timer);
      await checking;
    },
  };
}

/** Reports corrected builds to the log, and records them in the audit. */
async function announce(service: Service, corrected: readonly RecountedBuild[]): Promise<void> {
  service.observer.recounted(corrected);
  await service.store.write((db) =>
    recordChange(db, service, {
      action: "server.recount",
      actor: "service",
      accountId: null,
      target: null,
      detail: summarizeRecount(corrected),
    }),
  );
}

/** The numbers of a recount, for the audit. */
export function summarizeRecount(corrected: readonly RecountedBuild[]) {
  const sum = (column: "testers" | "counters") =>
    corrected.reduce((total, build) => total + build[column], 0);
  return { builds: corrected.length, testers: sum("testers"), counters: sum("counters") };
}
