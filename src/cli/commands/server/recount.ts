/** server recount: counts the counters of builds in the local database again. */
import type { TableColumn } from "../../../render/columns.ts";
import { formatCount } from "../../../render/numbers.ts";
import { recountAllBuilds } from "../../../server/builds/recount.ts";
import { summarizeRecount } from "../../../server/builds/recount-watch.ts";
import type { RecountedBuild } from "../../../server/core/observer.ts";
import { command, createTable } from "../../command.ts";
import type { Context } from "../../context.ts";
import { toggle } from "../../flags.ts";
import { recordWork } from "./audited.ts";
import { chooseDatabase, requireDatabase } from "./choose-database.ts";
import { databaseFlags, existingDatabaseFlag, type LocalService, openLocal } from "./local.ts";

const columns: readonly TableColumn<RecountedBuild>[] = [
  { key: "game", header: "GAME", value: ({ game }) => game },
  { key: "build", header: "BUILD", value: ({ build }) => build, style: "strong", shrink: 1 },
  { key: "testers", header: "WRONG TESTERS", value: ({ testers }) => testers },
  { key: "counters", header: "OTHER WRONG COUNTERS", value: ({ counters }) => counters },
];

export const recountCommand = command({
  path: "server recount",
  summary: "Correct the counters of builds in the local database",
  details:
    "Counts the testers, sessions, findings and durations of each build again, from the stored sessions, and corrects the " +
    "counters that `playtest builds` and the gate read. Counters can only be wrong after servers of an earlier version stored " +
    "sessions in the same database, as in a rolling upgrade of servers on Postgres. Servers can run meanwhile. Stop the " +
    "servers of the earlier version first: what they store afterwards is not counted. If you interrupt the command, what it " +
    "has corrected remains corrected.",
  args: [],
  flags: {
    ...databaseFlags,
    database: existingDatabaseFlag,
    dryRun: toggle("--dry-run", "show which builds have wrong counters, but correct nothing"),
  },
  examples: ["server recount --dry-run", "server recount --database postgres://user@host:5432/database"],
  finishesOnSignal: true,
  async run(context, { flags: values }) {
    const database = await chooseDatabase(context, values.database);
    await requireDatabase(context.io, database);
    // A server may be running on the database. This process must not take over its background work.
    const local = await openLocal(context, { ...values, database, mustExist: true, sharesDatabase: true });
    try {
      const { dryRun } = values;
      const { builds, corrected } = await recount(context, local, dryRun);
      const isRight = `The counters of ${formatCount(builds, "build")} are correct.`;
      return {
        data: { database: local.database, dryRun, builds, corrected },
        table: createTable(corrected, columns, builds === 0 ? "No build has sessions yet." : isRight),
      };
    } finally {
      await local.stop();
    }
  },
});

/** Counts all builds again. Records what was corrected, also if it fails before the end. */
async function recount(context: Context, local: LocalService, dryRun: boolean) {
  const corrected: RecountedBuild[] = [];
  let builds = 0;
  const onBuild = (game: string, build: string) => context.progress(`Counting ${game} ${build}`);
  try {
    const found = recountAllBuilds(local.service.store, { signal: context.io.signal, dryRun }, onBuild);
    for await (const build of found) {
      builds += 1;
      if (build) corrected.push(build);
    }
  } finally {
    if (!dryRun && corrected.length > 0)
      await recordWork(context, { ...local, accountId: null }, summarizeRecount(corrected));
  }
  if (!dryRun && corrected.length > 0)
    await context.notify(`Corrected the counters of ${corrected.length} of ${formatCount(builds, "build")}.`);
  return { builds, corrected };
}
