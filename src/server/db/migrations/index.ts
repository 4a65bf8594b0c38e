/** The migrations, in order: numbered and append-only. The numbers before the baseline belong to development versions. */
import type { Migration } from "kysely";
import * as baseline from "./031-baseline/index.ts";

/** Migrations by name, in order. */
export type Migrations = Readonly<Record<string, Migration>>;

export const migrations: Migrations = {
  "031-baseline": baseline,
};
