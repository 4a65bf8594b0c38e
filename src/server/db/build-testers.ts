/** Keeps what the sessions of each tester in a build support, and counts the distinct testers of each fact. */
import { sql } from "kysely";
import type { SessionFact } from "./build-facts.ts";
import { addToCounter, type CounterChange, type DeferredWork, defer } from "./counters.ts";
import { prepareRowsQuery } from "./prepared.ts";
import type { BuildTesterRow, Db, SessionRow } from "./schema.ts";
import {
  addFacts,
  type FactChange,
  fromKey,
  listCounts,
  parseFacts,
  serializeFacts,
} from "./tester-facts.ts";

/** The columns of a session that its tester's facts are found by. */
type TesterSession = Pick<SessionRow, "game_id" | "build" | "environment" | "tester">;

/** Adds to what the sessions of a tester support. The counters of distinct testers follow at the end of the transaction. */
export async function addTesterFacts(
  db: Db,
  { game_id, build, environment, tester }: TesterSession,
  facts: readonly SessionFact[],
  by: 1 | -1,
): Promise<void> {
  const key = { game_id, build, tester };
  await defer(
    db,
    testerWork,
    facts.map((fact) => ({ key, change: { ...fact, environment, by } })),
  );
}

export type TesterKey = Pick<BuildTesterRow, "game_id" | "build" | "tester">;

interface TesterChange {
  readonly key: TesterKey;
  readonly change: FactChange;
}

interface TesterChanges {
  readonly key: TesterKey;
  readonly changes: FactChange[];
}

const testerWork: DeferredWork<TesterChange> = {
  async run(db, items) {
    const testers = mergeByTester(items);
    for (let start = 0; start < testers.length; start += MAX_TESTERS_PER_STATEMENT)
      await updateTesters(db, testers.slice(start, start + MAX_TESTERS_PER_STATEMENT));
  },
};

/** Testers per statement. Each number of testers needs its own prepared statement. */
export const MAX_TESTERS_PER_STATEMENT = 50;

/** The changes by tester, in the order of their keys. Testers whose changes cancel out are left out. */
function mergeByTester(items: readonly TesterChange[]): TesterChanges[] {
  const testers = new Map<string, TesterChanges>();
  for (const { key, change } of items) {
    const id = JSON.stringify([key.game_id, key.tester, key.build]);
    const known = testers.get(id);
    if (known) known.changes.push(change);
    else testers.set(id, { key, changes: [change] });
  }
  return [...testers]
    .filter(([, { changes }]) => hasEffect(changes))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, tester]) => tester);
}

function hasEffect(changes: readonly FactChange[]): boolean {
  const facts = new Map<string, number>();
  addFacts(facts, changes);
  return facts.size > 0;
}

/** Locks the rows of testers in the order of their keys, and updates them and the counters of distinct testers. */
async function updateTesters(db: Db, testers: readonly TesterChanges[]): Promise<void> {
  const { rows } = await lockTesters(
    db,
    testers.map(({ key }) => key),
  );
  const stored = new Map(rows.map((row) => [JSON.stringify([row.game_id, row.tester, row.build]), row]));
  const [kept, removed, counts]: [BuildTesterRow[], TesterKey[], CounterChange[]] = [[], [], []];
  for (const { key, changes } of testers) {
    const row = stored.get(JSON.stringify([key.game_id, key.tester, key.build]));
    const facts = parseFacts(row?.facts ?? "[]");
    const before = listCounts(facts);
    addFacts(facts, changes);
    // A server of an earlier version that stores a session counts none of its facts, and this one may delete the session.
    for (const [fact, support] of facts) if (support < 0) facts.delete(fact);
    const after = listCounts(facts);
    counts.push(...diffCounts(key, before, after));
    if (facts.size === 0) removed.push(key);
    else kept.push({ ...key, facts: serializeFacts(facts) });
  }
  if (kept.length > 0) await storeTesters(db, kept);
  for (const key of removed) await deleteTester(db, key);
  await addToCounter(db, "build_counts", counts);
}

/** Changes facts of a tester in any environments. */
export async function changeTesterFacts(
  db: Db,
  key: TesterKey,
  changes: readonly FactChange[],
): Promise<void> {
  await defer(
    db,
    testerWork,
    changes.map((change) => ({ key, change })),
  );
}

/** Removes all facts of a row. */
export async function removeTesterFacts(db: Db, { facts, ...key }: BuildTesterRow): Promise<void> {
  const changes = [...parseFacts(facts)].map(([fact, support]) => ({ ...fromKey(fact), by: -support }));
  await changeTesterFacts(db, key, changes);
}

type Counts = ReturnType<typeof listCounts>;

function diffCounts({ game_id, build }: TesterKey, before: Counts, after: Counts): CounterChange[] {
  const changes: CounterChange[] = [];
  for (const [id, count] of before)
    if (!after.has(id)) changes.push({ row: { game_id, build, ...count }, by: -1 });
  for (const [id, count] of after)
    if (!before.has(id)) changes.push({ row: { game_id, build, ...count }, by: 1 });
  return changes;
}

/** Creates missing rows, locks all of them until the transaction ends, and returns them. */
export const lockTesters = prepareRowsQuery((db, keys: readonly TesterKey[]) =>
  db
    .insertInto("build_testers")
    .values(keys.map(({ game_id, build, tester }) => ({ game_id, build, tester, facts: sql.lit("[]") })))
    .onConflict((conflict) =>
      conflict
        .columns(["game_id", "tester", "build"])
        .doUpdateSet((eb) => ({ facts: eb.ref("build_testers.facts") })),
    )
    .returningAll(),
);

const storeTesters = prepareRowsQuery((db, rows: readonly BuildTesterRow[]) =>
  db
    .insertInto("build_testers")
    .values([...rows])
    .onConflict((conflict) =>
      conflict
        .columns(["game_id", "tester", "build"])
        .doUpdateSet((eb) => ({ facts: eb.ref("excluded.facts") })),
    ),
);

export async function deleteTester(db: Db, { game_id, build, tester }: TesterKey): Promise<void> {
  await db
    .deleteFrom("build_testers")
    .where("game_id", "=", game_id)
    .where("tester", "=", tester)
    .where("build", "=", build)
    .execute();
}
