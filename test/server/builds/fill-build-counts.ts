/** Fills the counters of builds from the stored sessions: one game after the other, in the order of their testers. */
import { type Kysely, sql } from "kysely";
import { findDeviceFact } from "../../../src/server/db/build-facts.ts";
import { selectBucket } from "../../../src/server/db/duration-bucket-queries.ts";
import { DURATION_LEVELS } from "../../../src/server/db/duration-buckets.ts";
import type { BuildCountRow, BuildTesterRow, Schema } from "../../../src/server/db/schema.ts";
import {
  type CountedSession,
  countedSessionColumns,
  readSessionFacts,
} from "../../../src/server/db/session-facts.ts";
import { readSessionSums } from "../../../src/server/db/session-sums.ts";
import {
  addFacts,
  listCounts,
  parseFacts,
  serializeFacts,
  type TesterFacts,
} from "../../../src/server/db/tester-facts.ts";

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

type CountKey = Pick<BuildCountRow, "environment" | "kind" | "name">;

async function fillGame(db: Kysely<Schema>, gameId: string): Promise<void> {
  const counters = new Counters(db, gameId);
  for (const row of await readSessionSums(db, gameId)) {
    counters.addSum(row);
    await counters.writeIfMany();
  }
  let tester = null as (Omit<BuildTesterRow, "facts"> & { readonly facts: TesterFacts }) | null;
  let finished: BuildTesterRow[] = [];
  const finish = () => {
    if (tester === null) return;
    const { build, facts } = tester;
    counters.addTester(build, listCounts(facts));
    finished.push({ ...tester, facts: serializeFacts(facts) });
  };
  for await (const { session, facts } of readSessions(db, gameId)) {
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
      yield { session, facts: [findDeviceFact(session), ...(found.get(session.id) ?? [])] };
    }
    after = sessions.at(-1);
    if (sessions.length < PAGE_SIZE) return;
  }
}

/** Sums counters of a game in memory, and adds them to the tables some at a time. */
class Counters {
  readonly #db: Kysely<Schema>;
  readonly #gameId: string;
  /** By build, then by the key of `listCounts`. */
  readonly #counts = new Map<string, Map<string, BuildCountRow>>();
  #size = 0;

  constructor(db: Kysely<Schema>, gameId: string) {
    this.#db = db;
    this.#gameId = gameId;
  }

  /** Counts a tester of a build. */
  addTester(build: string, counts: ReturnType<typeof listCounts>): void {
    for (const [id, count] of counts) this.#add(id, build, count, 1);
  }

  addSum({ build, amount, ...count }: BuildCountRow): void {
    this.#add(JSON.stringify([count.environment, count.kind, count.name]), build, count, amount);
  }

  #add(id: string, build: string, count: CountKey, amount: number): void {
    const counts = this.#counts.get(build) ?? new Map<string, BuildCountRow>();
    if (counts.size === 0) this.#counts.set(build, counts);
    const row = counts.get(id);
    if (row) {
      row.amount += amount;
      return;
    }
    const { environment, kind, name } = count;
    counts.set(id, { game_id: this.#gameId, build, environment, kind, name, amount });
    this.#size += 1;
  }

  async writeIfMany(): Promise<void> {
    if (this.#size > MAX_COUNTERS) await this.write();
  }

  async write(): Promise<void> {
    for (const rows of inParts([...this.#counts.values()].flatMap((counts) => [...counts.values()])))
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
    this.#size = 0;
  }
}

function* inParts<Row>(rows: readonly Row[]): Generator<Row[]> {
  for (let start = 0; start < rows.length; start += ROWS_PER_STATEMENT)
    yield rows.slice(start, start + ROWS_PER_STATEMENT);
}
