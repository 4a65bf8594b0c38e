/** Fills the counters of builds from the stored sessions: one game after the other, in the order of their testers. */
import { type Kysely, sql } from "kysely";
import { findDeviceFact, listSessionCounts } from "../build-facts.ts";
import { selectBucket } from "../duration-bucket-queries.ts";
import { DURATION_LEVELS } from "../duration-buckets.ts";
import type { BuildCountRow, BuildTesterRow, Schema } from "../schema.ts";
import { type CountedSession, countedSessionColumns, readSessionFacts } from "../session-facts.ts";
import {
  ALL_ENVIRONMENTS,
  addFacts,
  listCounts,
  parseFacts,
  serializeFacts,
  type TesterFacts,
} from "../tester-facts.ts";

/** Number of sessions that are read at once. */
const PAGE_SIZE = 500;
/** Number of counters that are kept in memory before they are written. */
const MAX_COUNTERS = 20_000;
const ROWS_PER_STATEMENT = 100;

export async function fillBuildCounts(untyped: Kysely<unknown>): Promise<void> {
  const db = untyped as Kysely<Schema>;
  if (!(await db.selectFrom("sessions").select("id").limit(1).executeTakeFirst())) return;
  await fillDurations(db);
  await sql`create index sessions_to_count on sessions (game_id, tester, build, id)`.execute(db);
  for (const { id } of await db.selectFrom("games").select("id").orderBy("id").execute())
    await fillGame(db, id);
  await sql`drop index sessions_to_count`.execute(db);
}

/** The buckets of durations, each level from the one below it. */
async function fillDurations(db: Kysely<Schema>): Promise<void> {
  const exact = DURATION_LEVELS.length - 1;
  for (const kind of ["wall", "active"] as const) {
    const ms = sql.ref(`${kind}_ms`);
    await sql`
      insert into build_durations (game_id, build, kind, level, bucket, sessions)
      select game_id, build, ${sql.lit(kind)}, ${sql.lit(exact)}, ${ms}, count(*)
      from sessions where status not in ('pending', 'processing')
      group by game_id, build, ${ms}
    `.execute(db);
    for (const level of DURATION_LEVELS.slice(0, exact).reverse())
      await sql`
        insert into build_durations (game_id, build, kind, level, bucket, sessions)
        select game_id, build, kind, ${sql.lit(level)}, ${selectBucket("bucket", level)} as first, sum(sessions)
        from build_durations where kind = ${sql.lit(kind)} and level = ${sql.lit(level + 1)}
        group by game_id, build, kind, ${selectBucket("bucket", level)}
      `.execute(db);
  }
}

async function fillGame(db: Kysely<Schema>, gameId: string): Promise<void> {
  const counters = new Counters(db);
  let tester = null as (Omit<BuildTesterRow, "facts"> & { readonly facts: TesterFacts }) | null;
  let finished: BuildTesterRow[] = [];
  const finish = () => {
    if (tester === null) return;
    const { game_id, build, facts } = tester;
    for (const count of listCounts(facts).values()) counters.addCount({ game_id, build, ...count }, 1);
    finished.push({ ...tester, facts: serializeFacts(facts) });
  };
  for await (const { session, facts, tags } of readSessions(db, gameId)) {
    const { game_id, build, environment } = session;
    if (tester?.tester !== session.tester || tester.build !== build) {
      finish();
      tester = { game_id, tester: session.tester, build, facts: parseFacts("[]") };
      if (finished.length >= ROWS_PER_STATEMENT) {
        await db.insertInto("build_testers").values(finished).execute();
        finished = [];
      }
    }
    addFacts(
      tester.facts,
      facts.map((fact) => ({ ...fact, environment, by: 1 })),
    );
    for (const scope of new Set([environment, ALL_ENVIRONMENTS])) {
      const key = { game_id, build, environment: scope };
      for (const { kind, name, amount } of listSessionCounts(session))
        counters.addCount({ ...key, kind, name }, amount);
      for (const name of tags) counters.addCount({ ...key, kind: "insights", name }, 1);
    }
    await counters.writeIfMany();
  }
  finish();
  if (finished.length > 0) await db.insertInto("build_testers").values(finished).execute();
  await counters.write();
}

/** Yields the sessions of a game with what they support, in the order of their testers and builds. */
async function* readSessions(db: Kysely<Schema>, gameId: string) {
  let after: CountedSession | undefined;
  for (;;) {
    const sessions: CountedSession[] = await db
      .selectFrom("sessions")
      .select(countedSessionColumns)
      .where("game_id", "=", gameId)
      .$if(after !== undefined, (query) =>
        query.where(sql<boolean>`(tester, build, id) > (${after?.tester}, ${after?.build}, ${after?.id})`),
      )
      .orderBy("tester")
      .orderBy("build")
      .orderBy("id")
      .limit(PAGE_SIZE)
      .execute();
    const found = await readSessionFacts(
      db,
      gameId,
      sessions.map(({ id }) => id),
    );
    for (const session of sessions) {
      const { facts = [], tags = [] } = found.get(session.id) ?? {};
      yield { session, facts: [findDeviceFact(session), ...facts], tags };
    }
    after = sessions.at(-1);
    if (sessions.length < PAGE_SIZE) return;
  }
}

/** Sums counters in memory, and adds them to the tables some at a time. */
class Counters {
  readonly #db: Kysely<Schema>;
  readonly #counts = new Map<string, BuildCountRow>();

  constructor(db: Kysely<Schema>) {
    this.#db = db;
  }

  addCount(key: Omit<BuildCountRow, "amount">, amount: number): void {
    const id = JSON.stringify([key.build, key.environment, key.kind, key.name]);
    const row = this.#counts.get(id);
    if (row) row.amount += amount;
    else this.#counts.set(id, { ...key, amount });
  }

  async writeIfMany(): Promise<void> {
    if (this.#counts.size > MAX_COUNTERS) await this.write();
  }

  async write(): Promise<void> {
    for (const rows of inParts([...this.#counts.values()]))
      await this.#db
        .insertInto("build_counts")
        .values(rows)
        .onConflict((conflict) =>
          conflict.columns(["game_id", "build", "environment", "kind", "name"]).doUpdateSet((eb) => ({
            amount: eb("build_counts.amount", "+", eb.ref("excluded.amount")),
          })),
        )
        .execute();
    this.#counts.clear();
  }
}

function* inParts<Row>(rows: readonly Row[]): Generator<Row[]> {
  for (let start = 0; start < rows.length; start += ROWS_PER_STATEMENT)
    yield rows.slice(start, start + ROWS_PER_STATEMENT);
}
