/** A process that runs compaction in a loop until it is killed. Its argument is the database. */
import { setTimeout as sleep } from "node:timers/promises";
import { openStore } from "../../src/server/db/open.ts";
import { startService } from "../../src/server/start.ts";

const [, , database = ":memory:"] = process.argv;
const store = await openStore({ database, durability: "NORMAL" });
const { compaction } = await startService({ store, limits: "off", sharesDatabase: true });
console.log("ready");
for (;;) {
  // Ignore errors, because tests restart the database.
  await compaction.drain().catch(() => {});
  await sleep(5);
}
