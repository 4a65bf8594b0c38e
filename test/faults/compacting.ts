/** A process that moves positions into blocks over and over, until it is killed: its argument is the database. */
import { setTimeout as sleep } from "node:timers/promises";
import { openStore } from "../../src/server/db/open.ts";
import { startService } from "../../src/server/start.ts";

const [, , database = ":memory:"] = process.argv;
const store = await openStore({ database, durability: "NORMAL" });
const { compaction } = await startService({ store, limits: "off", sharesDatabase: true });
console.log("ready");
for (;;) {
  // A database that is away comes back.
  await compaction.drain().catch(() => {});
  await sleep(5);
}
