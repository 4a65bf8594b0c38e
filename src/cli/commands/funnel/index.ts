/** funnel: how many testers reach each of several steps in order. */
import { funnelChart } from "../../../charts/funnel.ts";
import * as experiments from "../../../contract/experiments.ts";
import * as funnels from "../../../contract/funnels.ts";
import { type Funnel, type FunnelStep, MAX_FUNNEL_STEPS } from "../../../contract/funnels.ts";
import { defineColumns } from "../../../render/tables/columns.ts";
import { joinSteps } from "../../../shared/funnel-steps.ts";
import { command, createTable } from "../../command.ts";
import type { Context } from "../../context.ts";
import { inEnvironment } from "../../default-environment.ts";
import { fail } from "../../errors.ts";
import { choice, text, time } from "../../flags.ts";
import { resolveId } from "../../short-ids.ts";
import { chartFlags, checkChartFile, writeCharts } from "../chart-file.ts";
import { resolveExperiment } from "../experiments/find-experiment.ts";

interface FunnelRow extends FunnelStep {
  readonly group: string | null;
}

const columns = defineColumns<FunnelRow>({
  group: { header: "GROUP" },
  step: { header: "STEP", shrink: 1 },
  testers: { header: "TESTERS" },
  lost: { header: "LOST" },
  ofPrevious: { header: "OF PREVIOUS" },
  "ofPreviousInterval.low": { header: "LOW" },
  "ofPreviousInterval.high": { header: "HIGH" },
  ofFirst: { header: "OF FIRST" },
  medianSec: { header: "MEDIAN TIME", kind: "duration" },
});

const funnelCommand = command({
  path: "funnel",
  summary: "Count the testers who reach each of several steps in order",
  details:
    "A step is an event name, or room:NAME for entering a room. A session enters a room with an event that names another " +
    "room than before. A tester reaches a step with the first matching event after the step before, in the same session or " +
    "in a later one. One event can both enter a room and be the event step before or after it. LOST counts the testers " +
    "who reached the previous step but not this one. The time is the median since the previous step, including pauses between sessions. With --by build, " +
    "each build starts over, and with --experiment, each variant. Sessions without stored events reach no step.",
  args: [
    { name: "<step...>", describe: `steps in order: event names or room:NAME (at most ${MAX_FUNNEL_STEPS})` },
  ],
  flags: {
    build: text("--build <version>", "build version, `latest` or `previous` (default: all builds)"),
    env: text("--env <slug>", "environment, or `all` (default: production)"),
    by: choice("--by <what>", "count each build separately", ["build"] as const),
    experiment: text(
      "--experiment <experiment>",
      "count each variant of this experiment (name or id) separately",
    ),
    from: time("--from <time>", "sessions recorded at or after"),
    to: time("--to <time>", "sessions recorded at or before"),
    ...chartFlags,
  },
  examples: [
    "funnel room:dock room:gardens level_completed --game ember --by build",
    "funnel room_enter room:furnace --game ember --build 0.9.0 --out funnel.svg",
  ],
  async run(context, { args, flags: { out, ...query } }) {
    checkChartFile(out);
    if (query.by !== undefined && query.experiment !== undefined) {
      throw fail("usage", {
        message: `--by ${query.by} cannot be used with --experiment`,
        hint: "Use only one of them.",
      });
    }
    const client = await context.client({ ...funnels, ...experiments });
    const game = await context.requireGame();
    const experiment = await findExperiment(context, client, query.experiment, game);
    const steps = joinSteps(args);
    const data = await inEnvironment(
      context,
      query.env,
      (env) => client.getFunnel({ game, steps, ...query, env, experiment }),
      ({ testers }) => testers.total === 0,
    );
    await writeCharts(context, out, () => [funnelChart(data)]);
    const rows = data.groups.flatMap(({ key, steps }) =>
      steps.map((step): FunnelRow => ({ group: key ?? null, ...step })),
    );
    return {
      data,
      table: createTable(rows, columns, describeNothing(data)),
      items: data.groups,
      view: async (options) =>
        data.testers.total === 0
          ? `${describeNothing(data)}\n`
          : (await import("./funnel-view.ts")).funnelView(data, options),
    };
  },
});

/** The whole id of the experiment; undefined without one. */
async function findExperiment(
  context: Context,
  client: Parameters<typeof resolveExperiment>[0],
  word: string | undefined,
  game: string,
): Promise<string | undefined> {
  if (word === undefined) return undefined;
  return await resolveId(context, "exp", await resolveExperiment(client, word, async () => game));
}

function describeNothing({ environment, by }: Funnel): string {
  const where = environment === "all" ? "" : ` in ${environment}`;
  const what = by === "variant" ? "sessions of the experiment" : "sessions";
  return `No ${what} match${where}. Check --build, --env, --from and --to.`;
}

export const commands = [funnelCommand];
