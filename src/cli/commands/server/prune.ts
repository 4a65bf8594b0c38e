/** server prune: applies a pruning policy to the local database once. */
import { formatCount } from "../../../render/numbers.ts";
import type { PruneCounts } from "../../../server/core/observer.ts";
import { type PruningPolicy, planPruning, removesData } from "../../../server/pruning/policy.ts";
import { prune } from "../../../server/pruning/prune.ts";
import { hasRemoved } from "../../../server/pruning/steps.ts";
import { command, type Result } from "../../command.ts";
import type { Context } from "../../context.ts";
import { fail } from "../../errors.ts";
import { type FlagValues, toggle } from "../../flags.ts";
import { confirmDestructive, yesFlag } from "../../prompts.ts";
import { chooseDatabase, requireDatabase } from "./choose-database.ts";
import { databaseFlags, existingDatabaseFlag, type LocalService, withLocal } from "./local.ts";
import { pruningFlags, toPolicy } from "./pruning-flags.ts";

const flags = {
  ...databaseFlags,
  database: existingDatabaseFlag,
  ...pruningFlags,
  dryRun: toggle("--dry-run", "show what would be removed, but remove nothing"),
  yes: yesFlag,
} as const;

export const pruneCommand = command({
  path: "server prune",
  summary: "Remove old events and sessions from the local database",
  details:
    "Removes the events of sessions that ended longer ago than --keep-events. Counts, heatmaps, findings with their " +
    "words, summaries, comparisons and gates keep their numbers. Sessions that ended longer ago than " +
    "--keep-sessions are deleted with everything that was computed from them. Removed data cannot be restored. Sessions that " +
    "wait for their analysis are kept until it has finished. You can prune while a server is running. If you " +
    "interrupt the command, what it has removed remains removed, and the next run continues. To prune regularly, set the same " +
    "flags of `playtest server start`. Without such a flag, nothing is removed.",
  flags,
  examples: [
    "server prune --keep-events 90d --dry-run",
    "server prune --keep-events 90d --keep-sessions 400d --yes",
  ],
  finishesOnSignal: true,
  resumes: true,
  async run(context, { flags: values }) {
    const policy = toPolicy(values);
    const database = await chooseDatabase(context, values.database);
    if (values.database !== undefined || removesData(policy)) await requireDatabase(context.io, database);
    if (!removesData(policy)) {
      const hint = "No policy is set, so nothing would be removed. Set --keep-events or --keep-sessions.";
      return toResult({ database, dryRun: values.dryRun, policy, counts: noCounts }, hint);
    }
    // A server may be running on the database. This process must not take over its background work.
    const options = { ...values, database, mustExist: true, sharesDatabase: true };
    return await withLocal(context, options, (local) => pruneDatabase(context, local, policy, values));
  },
});

const noCounts = { sessions: 0, events: 0, bytes: 0, deletedSessions: 0, waiting: 0 };

async function pruneDatabase(
  context: Context,
  { service, database }: LocalService,
  policy: PruningPolicy,
  { dryRun, yes }: FlagValues<typeof flags>,
): Promise<Result> {
  const plan = await planPruning(service.store.readDb, policy, service.now());
  const facts = { database, dryRun, policy };
  const waiting = describeWaiting(plan.waiting);
  if (!hasRemoved(plan)) return toResult({ ...facts, counts: plan }, `Nothing to remove.${waiting}`);
  if (dryRun) return toResult({ ...facts, counts: plan }, `Would remove ${describe(plan)}.${waiting}`);
  await confirmDestructive(context.io, `Remove ${describe(plan)}? This cannot be undone.`, yes);
  const removed = await prune(service, policy, {
    signal: context.io.signal,
    actor: "operator",
    onStep: (totals) => context.progress(`Removed ${describe(totals)}`),
  });
  if (!removed) {
    throw fail("locked", {
      message: `Another process is pruning ${database}`,
      hint: "Run the command again later.",
    });
  }
  return toResult(
    { ...facts, counts: { ...removed, waiting: plan.waiting } },
    `Removed ${describe(removed)}.${waiting}`,
  );
}

interface Outcome {
  readonly database: string;
  readonly dryRun: boolean;
  readonly policy: PruningPolicy;
  readonly counts: PruneCounts & { readonly waiting: number };
}

function toResult({ database, dryRun, policy, counts }: Outcome, message: string): Result {
  const { sessions, events, bytes, deletedSessions, waiting } = counts;
  return {
    data: { database, dryRun, ...policy, pruned: { sessions, events, bytes }, deletedSessions, waiting },
    view: () => `${message}\n`,
  };
}

function describe({ sessions, events, bytes, deletedSessions }: PruneCounts): string {
  const removed = `${formatCount(events, "event")} of ${formatCount(sessions, "session")} (${formatMegabytes(bytes)})`;
  if (deletedSessions === 0) return removed;
  const deleted = formatCount(deletedSessions, "complete session");
  return sessions === 0 ? deleted : `${deleted}, and ${removed}`;
}

const formatMegabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

function describeWaiting(sessions: number): string {
  if (sessions === 0) return "";
  const subject = sessions === 1 ? "1 session keeps its" : `${sessions} sessions keep their`;
  return ` ${subject} events until the analysis has finished.`;
}
