/** A service on a database that was filled with many sessions, for lists and exports. */
import { insightTypes, sentiments } from "../src/contract/insights.ts";
import { createAccount, issueKeys } from "../src/server/accounts/accounts.ts";
import { addToEventCounters } from "../src/server/db/counters.ts";
import { openStore } from "../src/server/db/open.ts";
import type { Db, GameRow } from "../src/server/db/schema.ts";
import { ensureGame } from "../src/server/games/games.ts";
import { insertInsights } from "../src/server/insights/insight-queries.ts";
import { addSession } from "../src/server/sessions/sessions.ts";
import { startService } from "../src/server/start.ts";

const GAMES = 1000;
const BUILDS = 20;
const EVENTS = ["door_opened", "item_taken", "enemy_hit", "menu_opened", "checkpoint"];
const SESSIONS_PER_TRANSACTION = 5000;
export const BEGIN = Date.UTC(2026, 0, 1);
/** Between two sessions, ms. */
export const MINUTE = 60_000;

/** A service on a filled database. */
export interface Filled {
  /** Requests a path, and returns the response body. */
  ask(path: string): Promise<string>;
  /** The management key of the account. */
  readonly key: string;
  stop(): Promise<void>;
}

/** Fills a database with sessions of `gameCount` games, and starts a service on it. */
export async function fill(database: string, sessions: number, gameCount = GAMES): Promise<Filled> {
  const store = await openStore({ database, durability: "NORMAL" });
  const running = await startService({ store, limits: "off" });
  await running.analysis.stop();
  const { service, app } = running;
  const account = await createAccount(store.writeDb, service, "bench");
  const { management } = await issueKeys(store.writeDb, service, account.id);
  const games: GameRow[] = [];
  await store.writeDb.transaction().execute(async (db) => {
    for (let n = 0; n < gameCount; n += 1) games.push(await ensureGame(db, service, account.id, `game-${n}`));
  });
  for (let first = 0; first < sessions; first += SESSIONS_PER_TRANSACTION) {
    const last = Math.min(sessions, first + SESSIONS_PER_TRANSACTION);
    await store.writeDb.transaction().execute(async (db) => {
      for (let n = first; n < last; n += 1) await addSampleSession(db, games, n);
    });
  }
  return {
    async ask(path) {
      const headers = { authorization: `Bearer ${management}` };
      const answer = await app.fetch(new Request(`http://127.0.0.1${path}`, { headers }));
      const text = await answer.text();
      if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`);
      return text;
    },
    key: management,
    stop: () => running.stop(),
  };
}

/**
 * Adds the n-th session with its insight, the same on every run. Every tenth belongs to the first game, because the games of a
 * studio differ in popularity.
 */
async function addSampleSession(db: Db, games: readonly GameRow[], n: number): Promise<void> {
  const game = n % 10 === 0 ? games[0] : games[n % games.length];
  if (!game) return;
  const recordedAt = BEGIN + n * MINUTE;
  const at = {
    now: () => recordedAt,
    newId: (kind: string) => `${kind}_${n.toString(16).padStart(24, "0")}`,
  };
  const session = await addSession(db, at, game, {
    source: "unity-telemetry",
    // Every hundredth session is pending, so that one status is rare.
    status: n % 100 === 0 ? "pending" : "transcribing",
    title: `Session ${n}`,
    build: `1.${Math.floor(n / 10) % BUILDS}`,
    platform: "windows",
    environment: n % 50 === 0 ? "staging" : "production",
    testerHandle: `tester-${n % 997}`,
  });
  await addToEventCounters(db, session, new Map(EVENTS.map((name, at) => [name, 1 + ((n + at) % 3)])));
  await insertInsights(db, [
    {
      game_id: game.id,
      id: at.newId("ins"),
      account_id: game.account_id,
      session_id: session.id,
      build: session.build,
      environment: session.environment,
      tester: session.tester,
      type: insightTypes[n % insightTypes.length] ?? "praise",
      sentiment: sentiments[n % sentiments.length] ?? "neutral",
      confidence: 0.5,
      tag: "praise:hall",
      title: "Quick",
      evidence: "Seen",
      claims: "[]",
      created_at: recordedAt,
      after_ms: null,
    },
  ]);
}
