/** Reads the counters of a build. */
import { type Expression, expressionBuilder } from "kysely";
import type { BuildCountKind } from "../db/build-counters.ts";
import type { Db } from "../db/schema.ts";
import type { BuildScope } from "./build-scope.ts";

/** The counters of a build by kind and name, without those that are 0. */
export class BuildCounts {
  readonly #byKind = new Map<string, Map<string, number>>();

  constructor(rows: Iterable<{ readonly kind: string; readonly name: string; readonly amount: number }>) {
    for (const { kind, name, amount } of rows) {
      const names = this.#byKind.get(kind) ?? new Map<string, number>();
      this.#byKind.set(kind, names.set(name, amount));
    }
  }

  /** One counter. Kinds without names have the name `""`. */
  get(kind: BuildCountKind, name = ""): number {
    return this.#byKind.get(kind)?.get(name) ?? 0;
  }

  /** All counters of a kind by name. */
  list(kind: BuildCountKind): ReadonlyMap<string, number> {
    return this.#byKind.get(kind) ?? new Map();
  }
}

/** Reads the counters of some kinds. */
export async function readBuildCounts(
  db: Db,
  { gameId, version, environment }: BuildScope,
  kinds: readonly BuildCountKind[],
): Promise<BuildCounts> {
  const rows = await db
    .selectFrom("build_counts")
    .select((eb) => ["kind", "name", toDouble(eb.ref("amount")).as("amount")])
    .where("game_id", "=", gameId)
    .where("build", "=", version)
    .where("environment", "=", environment)
    .where("kind", "in", kinds)
    .where("amount", ">", 0)
    .execute();
  return new BuildCounts(rows.map((row) => ({ ...row, amount: Number(row.amount) })));
}

/** A driver throws on an integer beyond the safe range. A sum of durations loses precision there instead. */
function toDouble(column: Expression<number>) {
  return expressionBuilder<Record<string, never>>().cast<number>(column, "double precision");
}

/** The versions of the rules that analyzed the sessions of a build, ascending. Sessions without results are left out. */
export async function findAnalysisVersions(db: Db, build: BuildScope): Promise<number[]> {
  return listAnalysisVersions(await readBuildCounts(db, build, ["version"]));
}

export const listAnalysisVersions = (counts: BuildCounts): number[] =>
  [...counts.list("version").keys()].map(Number).sort((a, b) => a - b);
