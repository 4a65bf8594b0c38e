/** Describes the damage of a database file in one sentence. */
import { describeDamage } from "../../../server/db/check-pass.ts";
import { checkFile, type TableDamage } from "../../../server/db/sqlite-check.ts";

export function describeAll(database: string, damaged: readonly TableDamage[]): string {
  return `${database} is damaged: ${damaged.map(describeDamage).join("; ")}`;
}

/** Reads the whole file. */
export async function describeFileDamage(database: string): Promise<string> {
  const { damaged } = await checkFile(database, async () => {});
  if (damaged.length > 0) return describeAll(database, damaged);
  return `The server has found damage in ${database}, which a check of the file does not find anymore`;
}
