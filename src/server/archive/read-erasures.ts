/** Reads from an archive what was erased from its database. */
import type { SecretRow, TombstoneRow } from "../db/schema.ts";
import type { Erasures } from "../erasure/erase-again-queries.ts";
import { type ArchiveLine, readArchive, type TablePart } from "./reader.ts";

/** Reads the whole archive, so that a damaged one is refused. Throws `unusable`. */
export async function readErasures(lines: AsyncIterable<ArchiveLine>, source: string): Promise<Erasures> {
  const secrets: SecretRow[] = [];
  const tombstones: TombstoneRow[] = [];
  for await (const part of readArchive(lines, source)) {
    if (part.table === "secrets") secrets.push(...toObjects<SecretRow>(part));
    if (part.table === "tombstones") tombstones.push(...toObjects<TombstoneRow>(part));
  }
  return { secrets, tombstones };
}

/** The rows of a part that the reader has checked against the columns of its table. */
const toObjects = <Row>({ columns, rows }: TablePart): Row[] =>
  rows.map((row) => Object.fromEntries(columns.map((name, index) => [name, row[index] ?? null])) as Row);
