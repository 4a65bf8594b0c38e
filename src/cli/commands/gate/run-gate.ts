/** Runs a game against a service, and judges its sessions. */
import { randomUUID } from "node:crypto";
import { requiredTesters } from "../../../gate/config.ts";
import { formatCount } from "../../../render/numbers.ts";
import { cleanLine } from "../../../render/text.ts";
import { formatDuration, isoTime } from "../../../render/time.ts";
import type { Result } from "../../command.ts";
import { Context } from "../../context.ts";
import { writeStderr } from "../../io.ts";
import { prepareNotify } from "../../notify.ts";
import { REPO_FILE } from "../../repo-file.ts";
import { checkNamedFile } from "../named-file.ts";
import { writeBaseline } from "./baseline.ts";
import { checkBaselineScope } from "./comparison.ts";
import { checkBaselineExists } from "./gate-query.ts";
import { publishVerdict } from "./publish.ts";
import { checkReportFiles, parseReports } from "./reports.ts";
import { describeFailedExit } from "./run-findings.ts";
import { type GameRun, runGame } from "./run-game.ts";
import { type RunFlags, type RunPlan, readPlan } from "./run-plan.ts";
import { RUN_ENVIRONMENT, type RunTelemetry, readRunTelemetry } from "./run-sessions.ts";
import { type JudgedRuns, judgePlayedRuns, readEarlierRuns, runEndpoints } from "./run-verdict.ts";

/** How many lines of the output of a failed run are shown. */
const SHOWN_LINES = 40;

export async function judgeRuns(
  context: Context,
  command: readonly string[],
  flags: RunFlags,
): Promise<Result> {
  const plan = await readPlan(context, command, flags);
  const reports = parseReports(flags.report, context.settings.format.value, context.io);
  const notify = await prepareNotify(context, flags.notify);
  // Runs may take an hour, so a file that cannot be written is reported before.
  await checkReportFiles(reports, context.io);
  if (flags.save !== undefined) await checkNamedFile("baseline", flags.save, context.io);
  const judged = flags.temporary
    ? await withService(context, plan.game, (local) => runAndJudge(local, plan))
    : await runAndJudge(context, plan);
  if (flags.save !== undefined) await saveBaseline(context, flags.save, judged);
  return await publishVerdict(context, judged.verdict, {
    ...{ config: plan.config, reports, notify },
    hints: {
      hasWaited: true,
      scripted: { hasBaseline: plan.baseline !== null },
      rulesFile: flags.config ?? REPO_FILE,
    },
  });
}

/** Runs work against a service with a temporary database. */
async function withService<T>(
  context: Context,
  game: string,
  work: (local: Context) => Promise<T>,
): Promise<T> {
  // Loaded only here, because the service is large.
  const { withTemporaryService } = await import("../server/temporary-service.ts");
  const database = { database: undefined, durability: undefined, now: undefined };
  const flags = { ...database, demo: false, games: [game], seed: [] };
  return await withTemporaryService(
    context,
    { ...flags, limits: "off", budgets: "off" },
    async (variables) => {
      const io = Object.create(context.io, { env: { value: { ...context.io.env, ...variables } } });
      const baseUrl = { value: variables.PLAYTEST_BASE_URL, source: "--temporary" };
      const settings = { ...context.settings, baseUrl };
      const local = new Context(io, settings, context.render, context.selection, context.command);
      try {
        return await work(local);
      } finally {
        await local.close();
      }
    },
  );
}

async function runAndJudge(context: Context, plan: RunPlan): Promise<JudgedRuns> {
  const { io } = context;
  const { game, build, baseline, config, waitMs } = plan;
  const client = await context.client(runEndpoints);
  // A wrong game, key or baseline is reported before the runs, which may take an hour.
  const found = (await client.getGame({ id: game })).game;
  if (typeof baseline === "object" && baseline !== null)
    checkBaselineScope(baseline, { game: found, environment: RUN_ENVIRONMENT });
  if (typeof baseline === "string") {
    const query = { game, env: RUN_ENVIRONMENT, a: baseline, b: build };
    await checkBaselineExists(client, query, { now: io.now(), minTesters: requiredTesters(config) });
  }
  const earlier = await readEarlierRuns(client, plan);
  const since = io.now();
  const { runs, devices } = await playRuns(context, plan);
  const telemetry = await readRunTelemetry(context, { game, build, devices, since, waitMs });
  await showFailedRuns(context, runs, telemetry);
  return await judgePlayedRuns(context, plan, { earlier, runs, telemetry });
}

/** Runs the command repeatedly, each time as another device. */
async function playRuns(
  context: Context,
  plan: RunPlan,
): Promise<{ readonly runs: readonly GameRun[]; readonly devices: readonly string[] }> {
  const { io } = context;
  const { baseUrl, key } = await context.clientOptions({ key: "ingest" });
  // The game has no use for keys that read everything.
  const { PLAYTEST_KEY: _, PLAYTEST_CI_KEY: _ci, PLAYTEST_NOTIFY_SECRET: _secret, ...inherited } = io.env;
  const runs: GameRun[] = [];
  const devices: string[] = [];
  for (let number = 1; number <= plan.runCount; number += 1) {
    const device = `run_${randomUUID()}`;
    const env = {
      ...inherited,
      ...{ PLAYTEST_BASE_URL: baseUrl, PLAYTEST_INGEST_KEY: key ?? undefined },
      ...{ PLAYTEST_BUILD: plan.build, PLAYTEST_ENVIRONMENT: RUN_ENVIRONMENT, PLAYTEST_DEVICE_ID: device },
    };
    await context.progress(`Run ${number} of ${plan.runCount}`);
    const run = await runGame(io, plan.command, { env, timeoutMs: plan.timeoutMs });
    const end = describeFailedExit(run) ?? `exit code 0 after ${formatDuration(run.duration / 1000)}`;
    await context.notify(`Run ${number} of ${plan.runCount}: ${end}`);
    runs.push(run);
    devices.push(device);
  }
  return { runs, devices };
}

/** Writes the end of the output of each failed run to stderr. */
async function showFailedRuns(
  context: Context,
  runs: readonly GameRun[],
  { counts }: RunTelemetry,
): Promise<void> {
  let last: string | null = null;
  for (const [at, run] of runs.entries()) {
    if (describeFailedExit(run) === null && counts[at] !== null) continue;
    const output = run.output
      .trimEnd()
      .split(/\r?\n/)
      .slice(-SHOWN_LINES)
      .map((line) => `  ${cleanLine(line)}\n`)
      .join("");
    const what = output.trim() === "" ? "nothing" : output === last ? "the same" : "at its end:";
    await context.notify(`Run ${at + 1} printed ${what}`);
    if (what === "at its end:") await writeStderr(context.io, output);
    last = output;
  }
}

async function saveBaseline(context: Context, file: string, { verdict, facts }: JudgedRuns): Promise<void> {
  if (verdict.verdict !== "passed" || facts === null) {
    await context.notify(`The runs were not saved to ${file}, because the gate did not pass.`);
    return;
  }
  const { game, environment, b } = verdict;
  const savedAt = isoTime(context.io.now());
  const saved = { game, environment, savedAt, version: b.version, testers: b.testers, facts };
  const { path } = await writeBaseline(file, saved, { pairs: false }, context.io);
  await context.notify(`Saved ${formatCount(b.testers, "run")} of ${b.version} to ${path}.`);
}
