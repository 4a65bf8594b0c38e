/** Kills the server at random moments during ingest, chat, admin commands and compaction: all acknowledged data is stored once. */
import { afterEach, expect, it } from "vitest";
import { openConnection } from "../../src/server/db/sqlite.ts";
import { openTestStore } from "../engine.ts";
import { freshFolder } from "../harness.ts";
import { seed } from "../property.ts";
import { databaseIn, endAll } from "../server/real-server.ts";
import { expectConsistent } from "./expect-consistent.ts";
import { finishAnalysis, runLoadWithKills } from "./load-with-kills.ts";

const KILLS = process.env.PLAYTEST_FAULTS === "long" ? 200 : 6;

afterEach(endAll);

it(
  `neither loses nor duplicates data and recovers on its own, killed ${KILLS} times (PLAYTEST_SEED=${seed})`,
  async () => {
    const folder = freshFolder();
    const database = databaseIn(folder);
    const load = await runLoadWithKills({ folder, database, kills: KILLS, seed });
    await finishAnalysis(folder, database, load.managementKey);
    const store = await openTestStore(database);
    await expectConsistent(store, load);
    await store.close();
    const connection = await openConnection(database, { durability: "NORMAL", readOnly: true });
    expect(connection.prepare("pragma integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
    connection.close();
  },
  120_000 + KILLS * 10_000,
);
