/** Exports everything that the database holds about a tester, as one JSON document in pieces. */

import { ServiceError } from "../core/errors.ts";
import { DamagedData } from "../core/stored-data.ts";
import { isQuarantined } from "../db/quarantined-ids.ts";
import type { Db, GameRow } from "../db/schema.ts";
import type { Column } from "../db/tables/define.ts";
import { getTable, type StoredTable } from "../db/tables.ts";
import { readAllPositions } from "../positions/session-positions.ts";
import { findRefusals } from "../telemetry/arrival-queries.ts";
import { streamStoredEvents } from "../telemetry/batch-queries.ts";
import { type GamePlan, planErasure, toFinders } from "./erasure-plan.ts";
import { readFoundRows } from "./row-queries.ts";

/** Raise it if the document changes in a way that readers must know. */
const FORMAT_VERSION = 1;

/** Tables whose contents are the events and positions of sessions, which are exported decoded. */
const eventTables: readonly string[] = ["event_batches", "position_chunks", "position_slices"];

/** Columns that repeat others, that are credentials, or that only a running service needs. */
const omittedColumns: readonly string[] = [
  ...["item", "search", "token_hash", "claim_token_hash", "fingerprint", "content_hash", "creation_hash"],
  ...["analysis_due", "analysis_lease", "analysis_attempts", "analysis_runs", "reanalysis_due"],
  ...["enrichment_due", "enriched_version"],
  ...["stored_events", "stored_bytes"],
];

/** What was exported. */
interface TesterExport {
  readonly sessions: number;
  readonly events: number;
  /** The number of all rows without those of events. */
  readonly rows: number;
}

/**
 * Writes the document. It contains the same rows that an erasure deletes or clears. Throws `not_found` if no game knows the
 * tester. `db` must be one read transaction.
 */
export async function exportTester(
  db: Db,
  name: string,
  games: readonly GameRow[],
  now: number,
  write: (text: string) => Promise<void>,
): Promise<TesterExport> {
  const plans: { game: GameRow; plan: GamePlan }[] = [];
  for (const game of games) {
    for (const plan of await planErasure(db, game.id, name)) plans.push({ game, plan });
  }
  if (plans.length === 0) throw unknownTester(name);
  const head = { format: FORMAT_VERSION, tester: name, exportedAt: new Date(now).toISOString() };
  await write(`${JSON.stringify(head).slice(0, -1)},"games":[`);
  const totals = { sessions: 0, events: 0, rows: 0 };
  for (const [index, { game, plan }] of plans.entries()) {
    if (index > 0) await write(",");
    const tables = await readTables(db, game, plan);
    totals.sessions += plan.sessions.length;
    for (const rows of Object.values(tables)) totals.rows += rows.length;
    const { id, slug, name: title } = game;
    const isInQuarantine = isQuarantined(plan.gameId);
    const about = {
      game: { id, slug, name: title },
      ...(isInQuarantine ? { quarantined: true } : {}),
      names: plan.names,
      tables,
    };
    await write(`${JSON.stringify(about).slice(0, -1)},"events":{`);
    totals.events += await writeEvents(db, plan, write);
    await write(`},"positions":{`);
    await writePrunedPositions(db, plan, tables.sessions ?? [], write);
    await write("}}");
  }
  await write("]}\n");
  return totals;
}

/** The error for a name that no game knows. */
export function unknownTester(name: string): ServiceError {
  return new ServiceError("not_found", {
    message: `No tester with the handle, device id or email address ${JSON.stringify(name)}`,
    hint: "Run `playtest handles list` or `playtest sessions list` to see the testers of a game.",
  });
}

type ExportedRow = Readonly<Record<string, unknown>>;

async function readTables(
  db: Db,
  game: GameRow,
  plan: GamePlan,
): Promise<{ [Table in StoredTable]?: ExportedRow[] }> {
  const found = await readFoundRows(db, plan.gameId, { ...toFinders(plan), session: plan.sessions });
  const tables = [...found].filter(([table]) => !eventTables.includes(table));
  const exported = tables.map(
    ([table, rows]) => [table, rows.map((row) => toExportedRow(table, row))] as const,
  );
  const owners = { sessions: plan.sessions, devices: plan.names.device };
  const refusals = isQuarantined(plan.gameId) ? [] : await findRefusals(db, game.account_id, owners);
  if (refusals.length === 0) return Object.fromEntries(exported);
  const arrivals = exported.find(([table]) => table === "arrivals")?.[1] ?? [];
  return { ...Object.fromEntries(exported), arrivals: [...arrivals, { refusals }] };
}

function toExportedRow(table: StoredTable, row: ExportedRow): ExportedRow {
  const kept = Object.entries(row).filter(([column]) => !omittedColumns.includes(column));
  return Object.fromEntries(
    kept.map(([column, value]) => [column, toExportedValue(getTable(table).columns[column], value)]),
  );
}

function toExportedValue(column: Column | undefined, value: unknown): unknown {
  if (!column?.facts.json || typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    // Damaged JSON is exported as the text that is stored.
    return value;
  }
}

/** Writes the events of each session, in the order of arrival, with their positions. Returns their number. */
async function writeEvents(
  db: Db,
  { gameId, sessions }: GamePlan,
  write: (text: string) => Promise<void>,
): Promise<number> {
  let count = 0;
  for (const [index, id] of sessions.entries()) {
    await write(`${index > 0 ? "," : ""}${JSON.stringify(id)}:[`);
    let isFirst = true;
    try {
      for await (const events of streamStoredEvents(db, gameId, id)) {
        if (events.length === 0) continue;
        const text = JSON.stringify(events).slice(1, -1);
        await write(isFirst ? text : `,${text}`);
        isFirst = false;
        count += events.length;
      }
    } catch (error) {
      if (!(error instanceof DamagedData)) throw error;
      await write(`${isFirst ? "" : ","}${JSON.stringify({ damaged: error.message })}`);
    }
    await write("]");
  }
  return count;
}

/** Writes the positions of sessions whose events were pruned. Those of other sessions are in their events. */
async function writePrunedPositions(
  db: Db,
  { gameId }: GamePlan,
  sessions: readonly ExportedRow[],
  write: (text: string) => Promise<void>,
): Promise<void> {
  const pruned = sessions.filter(({ events_pruned_at: prunedAt }) => prunedAt !== null);
  for (const [index, { id }] of pruned.entries()) {
    const positions = await readAllPositions(db, gameId, String(id)).catch((error: unknown) => {
      if (error instanceof DamagedData) return { damaged: error.message };
      throw error;
    });
    await write(`${index > 0 ? "," : ""}${JSON.stringify(id)}:${JSON.stringify(positions)}`);
  }
}
