/** Compaction of event counts: moves the counters of past days from rows into blocks, in the background and in small steps. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { type BackgroundPass, createBackgroundPass } from "../db/background-pass.ts";
import { toEpochDay } from "../db/counters.ts";
import type { Service } from "../db/service.ts";
import { compactDays, findCompactedGames, findCounterDay } from "./event-compaction-queries.ts";

/** Pause between two passes, ms. */
const PAUSE_MS = 10 * 60_000;
/** Today and yesterday still change with most batches, so they remain rows. */
const OPEN_DAYS = 2;

/** Creates the compaction of event counts of a service. */
export function createEventCompaction(service: Service): BackgroundPass {
  const { store } = service;
  const compactGame = async (gameId: string, last: number, isStopped: () => boolean) => {
    let day = await findCounterDay(store.readDb, gameId, last, null);
    while (day && !isStopped()) {
      const from = day;
      const moved = await store.write((db) => compactDays(db, gameId, from, last));
      // What cannot be moved remains as it is: other days follow.
      day = await findCounterDay(store.readDb, gameId, last, moved === null ? from : { ...from, day: moved });
      await nextTurn();
    }
  };
  return createBackgroundPass(service, {
    name: "event count compaction",
    pauseMs: PAUSE_MS,
    async run(isStopped) {
      const last = toEpochDay(service.now()) - OPEN_DAYS;
      for (const gameId of await findCompactedGames(store.readDb)) {
        if (isStopped()) return;
        await compactGame(gameId, last, isStopped);
        await nextTurn();
      }
    },
  });
}
