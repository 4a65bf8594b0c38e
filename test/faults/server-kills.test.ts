/** The server killed at any moment under play, chat, administration and compaction: all that it acknowledged is there, once. */
import { afterEach, expect, it } from "vitest";
import { openConnection } from "../../src/server/db/sqlite.ts";
import { openTestStore } from "../engine.ts";
import { freshFolder } from "../harness.ts";
import { seed } from "../property.ts";
import { databaseIn, endAll } from "../server/real-server.ts";
import { expectWhole } from "./expect-whole.ts";
import { playUnderKills, settle } from "./under-load.ts";

const KILLS = process.env.PLAYTEST_FAULTS === "long" ? 200 : 6;

afterEach(endAll);

it(
  `loses nothing, doubles nothing and needs no help, killed ${KILLS} times (PLAYTEST_SEED=${seed})`,
  async () => {
    const folder = freshFolder();
    const database = databaseIn(folder);
    const played = await playUnderKills({ folder, database, kills: KILLS, seed });
    await settle(folder, database, played.managementKey);
    const store = await openTestStore(database);
    await expectWhole(store, played);
    await store.close();
    const connection = await openConnection(database, { durability: "NORMAL", readOnly: true });
    expect(connection.prepare("pragma integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
    connection.close();
  },
  120_000 + KILLS * 10_000,
);
