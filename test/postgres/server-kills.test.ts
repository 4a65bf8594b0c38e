/** A server process and its Postgres, killed in turns under play, chat, administration and compaction: nothing is lost. */
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { openStore } from "../../src/server/db/open.ts";
import { expectWhole } from "../faults/expect-whole.ts";
import { playUnderKills, settle } from "../faults/under-load.ts";
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
  `loses nothing, doubles nothing and needs no help, killed ${KILLS} times (PLAYTEST_SEED=${seed})`,
  async () => {
    const folder = freshFolder();
    const database = postgres.url;
    const played = await playUnderKills({
      folder,
      database,
      kills: KILLS,
      seed,
      async kill({ nth, server }) {
        if (nth % 2 === 0) return await end(server.process, "SIGKILL");
        // The server stays, and finds it again by itself.
        await postgres.kill();
        await postgres.start();
        expect(server.process.exitCode).toBeNull();
      },
    });
    await settle(folder, database, played.managementKey);
    const store = await openStore({ database });
    await expectWhole(store, played);
    await store.close();
  },
  120_000 + KILLS * 15_000,
);
