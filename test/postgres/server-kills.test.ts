/** Kills a server and its Postgres alternately during ingest, chat, admin commands and compaction: no data is lost. */
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { openStore } from "../../src/server/db/open.ts";
import { expectConsistent } from "../faults/expect-consistent.ts";
import { finishAnalysis, runLoadWithKills } from "../faults/load-with-kills.ts";
import { freshFolder } from "../harness.ts";
import { seed } from "../property.ts";
import { end, endAll } from "../server/real-server.ts";
import { type OwnPostgres, startOwnPostgres } from "./server.ts";

const KILLS = process.env.PLAYTEST_FAULTS === "long" ? 60 : 4;

let postgres: OwnPostgres;
beforeAll(async () => {
  postgres = await startOwnPostgres();
});
afterEach(endAll);
afterAll(() => postgres.stop());

it(
  `neither loses nor duplicates data and recovers on its own, killed ${KILLS} times (PLAYTEST_SEED=${seed})`,
  async () => {
    const folder = freshFolder();
    const database = postgres.url;
    const load = await runLoadWithKills({
      folder,
      database,
      kills: KILLS,
      seed,
      async kill({ nth, server }) {
        if (nth % 2 === 0) return await end(server.process, "SIGKILL");
        // The server keeps running, and reconnects on its own.
        await postgres.kill();
        await postgres.start();
        expect(server.process.exitCode).toBeNull();
      },
    });
    await finishAnalysis(folder, database, load.managementKey);
    const store = await openStore({ database });
    await expectConsistent(store, load);
    await store.close();
  },
  120_000 + KILLS * 15_000,
);
