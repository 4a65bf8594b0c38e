/** Counts the facts of the testers of a build again, from the rows of their sessions. */
import { findDeviceFact } from "../db/build-facts.ts";
import {
  changeTesterFacts,
  deleteTester,
  lockTesters,
  MAX_TESTERS_PER_STATEMENT,
  type TesterKey,
} from "../db/build-testers.ts";
import type { Db } from "../db/schema.ts";
import { type CountedSession, readSessionFacts } from "../db/session-facts.ts";
import type { Store } from "../db/store.ts";
import { addFacts, type FactChange, fromKey, parseFacts, type TesterFacts } from "../db/tester-facts.ts";
import type { BuildKey } from "./recount-queries.ts";
import { listTesters, readSessionPage, readStoredFacts, testerSources } from "./recount-testers-queries.ts";

const SESSION_PAGE = 500;

/**
 * Corrects the facts of the testers of a build whose facts differ, and the counters that follow from them. Returns the number of
 * testers; with `dryRun`, it only counts them.
 */
export async function recountTesters(
  store: Store,
  key: BuildKey,
  { dryRun, signal }: { readonly dryRun: boolean; readonly signal: AbortSignal },
): Promise<number> {
  let corrected = 0;
  for (const source of testerSources) {
    for (let after = ""; ; ) {
      signal.throwIfAborted();
      const testers = await store.read((db) =>
        listTesters(db, key, source, after, MAX_TESTERS_PER_STATEMENT),
      );
      // Without locks, but in one snapshot, so that only testers with wrong facts are locked.
      const differing = await store.read(async (db) => [...(await findChanges(db, key, testers)).keys()]);
      if (differing.length > 0 && !dryRun) await store.write((db) => correctTesters(db, key, differing));
      corrected += differing.length;
      if (testers.length < MAX_TESTERS_PER_STATEMENT) break;
      after = testers.at(-1) ?? "";
    }
  }
  return corrected;
}

/**
 * Locks the rows of testers, as all who change facts do at the end of their transactions, and then reads the sessions. So the
 * sessions are those that the locked facts should contain, and whoever waits for the locks adds to the corrected facts.
 */
async function correctTesters(
  db: Db,
  { game_id, build }: BuildKey,
  testers: readonly string[],
): Promise<void> {
  const keys = testers.map((tester) => ({ game_id, build, tester }));
  const { rows } = await lockTesters(db, sortKeys(keys));
  const changes = await findChanges(db, { game_id, build }, testers);
  for (const { facts, ...key } of rows) {
    const own = changes.get(key.tester);
    if (own) await changeTesterFacts(db, key, own);
    else if (parseFacts(facts).size === 0) await deleteTester(db, key);
  }
}

/** The order in which rows of testers are locked. */
function sortKeys(keys: readonly TesterKey[]): TesterKey[] {
  const sortable = keys.map((key) => [JSON.stringify([key.game_id, key.tester, key.build]), key] as const);
  return sortable.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, key]) => key);
}

/** The changes that correct the facts of testers, by tester. Testers with correct facts are left out. */
async function findChanges(
  db: Db,
  key: BuildKey,
  testers: readonly string[],
): Promise<Map<string, FactChange[]>> {
  if (testers.length === 0) return new Map();
  const recounted = await countFacts(db, key, testers);
  for (const { tester, facts } of await readStoredFacts(db, key, testers))
    addFacts(
      recounted.get(tester) ?? new Map(),
      [...parseFacts(facts)].map(([fact, support]) => ({ ...fromKey(fact), by: -support })),
    );
  const toChanges = (facts: TesterFacts) => [...facts].map(([fact, by]) => ({ ...fromKey(fact), by }));
  return new Map(
    [...recounted].filter(([, facts]) => facts.size > 0).map(([tester, facts]) => [tester, toChanges(facts)]),
  );
}

/** The facts that the sessions of testers in a build support, by tester. */
async function countFacts(
  db: Db,
  key: BuildKey,
  testers: readonly string[],
): Promise<Map<string, TesterFacts>> {
  const counted = new Map<string, TesterFacts>(testers.map((tester) => [tester, new Map()]));
  for (let after: CountedSession | undefined; ; ) {
    const sessions = await readSessionPage(db, key, testers, after, SESSION_PAGE);
    const found = await readSessionFacts(
      db,
      key.game_id,
      sessions.map(({ id }) => id),
    );
    for (const session of sessions) {
      const { environment } = session;
      const facts = [findDeviceFact(session), ...(found.get(session.id) ?? [])];
      addFacts(
        counted.get(session.tester) ?? new Map(),
        facts.map((fact) => ({ ...fact, environment, by: 1 })),
      );
    }
    if (sessions.length < SESSION_PAGE) return counted;
    after = sessions.at(-1);
  }
}
