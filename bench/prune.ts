/** Pruning: how long telemetry waits while old events are removed, compared with an idle service. */
import { join } from "node:path";
import { createAccount } from "../src/server/accounts/accounts.ts";
import { openStore } from "../src/server/db/open.ts";
import { ensureGame } from "../src/server/games/games.ts";
import { prune } from "../src/server/retention/prune.ts";
import { startService } from "../src/server/start.ts";
import { ingest } from "../src/server/telemetry/ingest.ts";
import { median, ms, print, ratio, timed } from "./measure.ts";
import { inFolder } from "./servers.ts";
import { createBody, EVENTS_PER_BODY, GAME } from "./telemetry.ts";

const BODIES_PER_SESSION = 4;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Measures and prints. */
export async function benchPrune(quick: boolean): Promise<void> {
  await inFolder((folder) => measure(join(folder, "prune.db"), quick ? 200 : 2000));
}

async function measure(database: string, sessions: number): Promise<void> {
  let now = Date.now();
  const store = await openStore({ database });
  const { service, analysis, stop } = await startService({
    store,
    limits: "off",
    sharesDatabase: true,
    dependencies: { now: () => now },
  });
  const account = await createAccount(store.writeDb, service, "bench");
  await ensureGame(store.writeDb, service, account.id, GAME);
  const scope = { accountId: account.id, boundGameId: null };
  for (let session = 0; session < sessions; session += 1)
    for (let part = 0; part < BODIES_PER_SESSION; part += 1) {
      const body = createBody(`old-${session}`, part);
      await ingest(service, scope, { ...body, sessionEnded: part === BODIES_PER_SESSION - 1 });
    }
  await analysis.drain();
  now += 100 * DAY_MS;
  let next = 0;
  const sendOne = async () => {
    const body = createBody(`new-${next % 8}`, next >> 3);
    next += 1;
    return await timed(() => ingest(service, scope, body));
  };
  for (let n = 0; n < 100; n += 1) await sendOne();
  const idle: number[] = [];
  for (let n = 0; n < 400; n += 1) idle.push(await sendOne());
  let removed: Awaited<ReturnType<typeof prune>> | undefined;
  const policy = { keepEventsMs: 90 * DAY_MS, keepSessionsMs: null };
  const pruning = timed(async () => {
    removed = await prune(service, policy, { signal: new AbortController().signal });
  });
  const busy: number[] = [];
  while (removed === undefined) busy.push(await sendOne());
  const total = await pruning;
  await stop();
  const row = (name: string, times: readonly number[]) => {
    const sorted = [...times].sort((a, b) => a - b);
    const last = sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN;
    return [name, ms(median(times)), ratio(median(times) / median(idle)), ms(last), ms(sorted.at(-1) ?? 0)];
  };
  print(`Ingest of ${EVENTS_PER_BODY} events while ${removed?.events} events are removed in ${ms(total)}`, [
    ["", "median", "ratio", "99%", "longest"],
    row("nothing else", idle),
    row("pruning", busy),
  ]);
}
