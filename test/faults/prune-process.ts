/** A process that prunes all events of a database until it is killed. Its argument is the database. */
import { setTimeout as sleep } from "node:timers/promises";
import { openStore } from "../../src/server/db/open.ts";
import { prune } from "../../src/server/pruning/prune.ts";
import { startService } from "../../src/server/start.ts";

const [, , database = ":memory:"] = process.argv;
const store = await openStore({ database, durability: "NORMAL" });
const { service } = await startService({ store, limits: "off", sharesDatabase: true });
const policy = { keepEventsMs: 0, keepSessionsMs: null };
await prune(service, policy, {
  signal: new AbortController().signal,
  onStep: async () => {
    console.log("step");
    // The kill arrives before the next step.
    await sleep(300);
  },
});
