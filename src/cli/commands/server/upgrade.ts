import { formatCount } from "../../../render/numbers.ts";
import { renderTable } from "../../../render/table.ts";
import { defineColumns } from "../../../render/tables/columns.ts";
import { planUpgrade, type UpgradePlan } from "../../../server/analysis/upgrade-queries.ts";
import { openStore, readDatabase, redactPassword } from "../../../server/db/open.ts";
import { command, createTable } from "../../command.ts";
import { toggle } from "../../flags.ts";
import { chooseDatabase, requireDatabase } from "./choose-database.ts";
import { existingDatabaseFlag, reportUpgrade } from "./local.ts";

type OutdatedValues = UpgradePlan["outdated"][number];

const columns = defineColumns<OutdatedValues>({
  kind: { header: "VALUES" },
  recomputed: { header: "RECOMPUTED", align: "right" },
  kept: { header: "KEPT", align: "right" },
});

export const upgradeCommand = command({
  path: "server upgrade",
  summary: "Update the local database to this version of playtest",
  details:
    "Servers do the same when they start. A copy of a database file is made first. Afterwards, a running server computes in the " +
    "background what older rules have found, newest sessions first. Sessions whose events are pruned keep their values. Until " +
    "then, comparisons say that different rules read the builds. --dry-run shows the migrations and counts these values, and " +
    "changes nothing.",
  flags: {
    database: existingDatabaseFlag,
    dryRun: toggle("--dry-run", "show what would change, but change nothing"),
  },
  examples: ["server upgrade --dry-run", "server upgrade --database studio.db"],
  finishesOnSignal: true,
  async run(context, { flags: { database: flag, dryRun } }) {
    const database = await chooseDatabase(context, flag);
    await requireDatabase(context.io, database);
    const location = redactPassword(database);
    const plan = await readDatabase(database, (db) => planUpgrade(db, location));
    if (!dryRun && plan.migrations.length > 0) {
      const store = await openStore({ database, mustExist: true, onUpgrade: reportUpgrade(context) });
      await store.close();
    }
    return {
      data: { database: location, dryRun, ...plan },
      table: createTable(plan.outdated, columns, ""),
      view: (options) =>
        [
          ...[`${describeMigrations(location, dryRun, plan)}\n`],
          ...(isCurrent(plan) ? [] : ["\n", renderTable(plan.outdated, columns, options)]),
        ].join(""),
    };
  },
});

const isCurrent = ({ outdated }: UpgradePlan): boolean =>
  outdated.every(({ recomputed, kept }) => recomputed + kept === 0);

function describeMigrations(location: string, dryRun: boolean, plan: UpgradePlan): string {
  const { migrations } = plan;
  const values = isCurrent(plan) ? "" : " Values of older rules:";
  if (migrations.length === 0) return `The database ${location} has the current schema.${values}`;
  const count = formatCount(migrations.length, "migration");
  const applied = `${dryRun ? "Would apply" : "Applied"} ${count} to the database ${location}`;
  return `${applied}: ${migrations.join(", ")}.${values}`;
}
