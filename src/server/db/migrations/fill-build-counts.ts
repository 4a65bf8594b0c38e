/** Fills the counters of builds from the stored sessions: one game after the other, in the order of their testers. */
import { type Kysely, sql } from "kysely";
import { frictionTypes } from "../../../contract/insights.ts";
import {
  findDeviceFact,
  listAnswerFacts,
  listRoomFacts,
  listSessionCounts,
  type SessionFact,
} from "../build-facts.ts";
import { DURATION_LEVELS, findBucket } from "../duration-buckets.ts";
import type { BuildCountRow, BuildTesterRow, Schema } from "../schema.ts";
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
/** Durations are shorter than this, ms. */
const MAX_DURATION = 2 ** 52;
/** Number of counters that are kept in memory before they are written. */
const MAX_COUNTERS = 20_000;
const ROWS_PER_STATEMENT = 100;

const friction: ReadonlySet<string> = new Set(frictionTypes);

const sessionColumns = [
  ...(["game_id", "id", "build", "environment", "tester", "status"] as const),
  ...(["device_id", "country", "analysis_version", "wall_ms", "active_ms"] as const),
] as const;
type CountedSession = Pick<Schema["sessions"], (typeof sessionColumns)[number]>;

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
        select game_id, build, kind, ${sql.lit(level)}, ${selectBucket(level)} as first, sum(sessions)
        from build_durations where kind = ${sql.lit(kind)} and level = ${sql.lit(level + 1)}
        group by game_id, build, kind, ${selectBucket(level)}
      `.execute(db);
  }
}

/** The bucket of a level that contains a bucket of the next one, as SQL: one case for each width of buckets. */
function selectBucket(level: number) {
  const cases: ReturnType<typeof sql>[] = [];
  for (let ms = 1; ms < MAX_DURATION; ms *= 2) {
    const { first, end } = findBucket(ms, level);
    const width = sql.lit(end - first);
    cases.push(sql`when bucket < ${sql.lit(ms * 2)} then bucket / ${width} * ${width}`);
  }
  return sql<number>`case ${sql.join(cases, sql` `)} end`;
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
      .select(sessionColumns)
      .where("game_id", "=", gameId)
      .$if(after !== undefined, (query) =>
        query.where(sql<boolean>`(tester, build, id) > (${after?.tester}, ${after?.build}, ${after?.id})`),
      )
      .orderBy("tester")
      .orderBy("build")
      .orderBy("id")
      .limit(PAGE_SIZE)
      .execute();
    const found = await readFacts(
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

/** What sessions support: their rooms, friction tags and answers, by session id. */
async function readFacts(db: Kysely<Schema>, gameId: string, ids: readonly string[]) {
  const found = new Map<string, { facts: SessionFact[]; tags: string[] }>();
  if (ids.length === 0) return found;
  const add = (id: string, facts: readonly SessionFact[]) => {
    const known = found.get(id) ?? { facts: [], tags: [] };
    known.facts.push(...facts);
    for (const { kind, name } of facts) if (kind === "tag") known.tags.push(name);
    found.set(id, known);
  };
  const rooms = await db
    .selectFrom("room_times")
    .select(["session_id", "room", "completed"])
    .where("game_id", "=", gameId)
    .where("session_id", "in", ids)
    .execute();
  for (const row of rooms) add(row.session_id, listRoomFacts(row));
  const insights = await db
    .selectFrom("insights")
    .select(["session_id", "type", "tag"])
    .where("game_id", "=", gameId)
    .where("session_id", "in", ids)
    .execute();
  // With the types in the query, SQLite would read all insights of these types.
  for (const { session_id, type, tag } of insights)
    if (friction.has(type)) add(session_id, [{ kind: "tag", name: tag }]);
  const submissions = await db
    .selectFrom("feedback_submissions")
    .select(["session_id", "responses"])
    .where("game_id", "=", gameId)
    .where("session_id", "in", ids)
    .execute();
  for (const { session_id, responses } of submissions) add(session_id, listAnswerFacts(responses));
  return found;
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
