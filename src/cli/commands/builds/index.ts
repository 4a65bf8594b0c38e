/** The commands about builds. */
import { trendChart } from "../../../charts/trend.ts";
import { checkInput } from "../../../client/client.ts";
import * as builds from "../../../contract/builds.ts";
import * as dropoff from "../../../contract/dropoff.ts";
import * as trends from "../../../contract/trends.ts";
import {
  DEFAULT_TREND_BUILDS,
  DEFAULT_TREND_METRIC,
  MAX_TREND_BUILDS,
  trendMetrics,
} from "../../../contract/trends.ts";
import { renderDetails } from "../../../render/details.ts";
import { buildDetails } from "../../../render/tables/build-details.ts";
import { dropoffColumns } from "../../../render/tables/dropoff.ts";
import { describeNoRooms } from "../../../render/tables/dropoff-text.ts";
import { describeEmptyTrend, trendColumns } from "../../../render/tables/trend.ts";
import { command, createTable } from "../../command.ts";
import { inEnvironment } from "../../default-environment.ts";
import { fail } from "../../errors.ts";
import { choice, integer, text } from "../../flags.ts";
import { chartFlags, checkChartFile, writeCharts } from "../chart-file.ts";
import { blameCommand } from "./blame.ts";
import { compareBuildsCommand } from "./compare.ts";
import { buildEndpoints } from "./endpoints.ts";
import { listBuildsCommand } from "./list.ts";
import { registerCommand } from "./register.ts";
import { createBuildScope, resolveBuild } from "./resolve.ts";
import { suggestionsCommand } from "./suggestions.ts";

const getBuildCommand = command({
  path: "builds get",
  summary: "Show a build's sessions, devices, play time and summary",
  args: [{ name: "<version>", describe: "build version, `latest` or `previous`" }],
  flags: { env: text("--env <slug>", "environment of the summary (default: production)") },
  examples: ["builds get 0.9.0 --game ember", "builds get latest --game ember --json"],
  async run(context, { args, flags }) {
    const client = await context.client(buildEndpoints);
    const game = await context.requireGame();
    checkInput(builds.getBuild, { game, version: args[0], env: flags.env });
    const scope = createBuildScope(context, game, flags.env);
    const version = await resolveBuild(client, scope, args[0] ?? "");
    const data = await client.getBuild({ game, version, env: flags.env });
    if (!data.summary)
      await (await import("../../unknown-names.ts")).requireKnownNames(context, { env: flags.env });
    return { data, view: (options) => renderDetails(buildDetails(data, flags.env, options), options) };
  },
});

const dropoffCommand = command({
  path: "builds dropoff",
  summary: "Show in which rooms the testers of a build quit",
  details:
    "QUIT counts the testers who quit in the room and completed it in no later session, exactly as the rows quit:ROOM of " +
    "`builds compare`. SHARE is their share of the testers who entered the room, with its 95% interval. ACTIVE TIME is the " +
    "median time that those who quit had played in the room. Sessions that have not ended or are not analyzed are left out.",
  args: [{ name: "[version]", describe: "build version, `latest` (default) or `previous`" }],
  flags: { env: text("--env <slug>", "environment, or `all` (default: production)") },
  examples: ["builds dropoff --game ember", "builds dropoff 0.9.0 --game ember --format csv"],
  async run(context, { args: [word = "latest"], flags: { env } }) {
    const client = await context.client({ ...buildEndpoints, ...dropoff });
    const game = await context.requireGame();
    checkInput(dropoff.getBuildDropoff, { game, version: word, env });
    const data = await inEnvironment(
      context,
      env,
      async (chosen) => {
        const scope = createBuildScope(context, game, chosen);
        const version = await resolveBuild(client, scope, word);
        return await client.getBuildDropoff({ game, version, env: chosen });
      },
      ({ testers }) => testers === 0,
    );
    return {
      data,
      table: createTable(
        data.rooms,
        dropoffColumns,
        describeNoRooms(data, "Select another environment with --env."),
      ),
      items: data.rooms,
      view: async (options) =>
        data.rooms.length === 0 ? "" : (await import("./dropoff-view.ts")).dropoffView(data, options),
    };
  },
});

const trendCommand = command({
  path: "builds trend",
  summary: "Show a friction tag, another row or a metric over the last builds",
  details:
    "Builds are in the order in which they were played, as in `builds list`. Tags and the other rows of the scorecard have " +
    "the counts of all play of a build, and `builds compare` those of equally long play. Metrics: crash-free is the share of testers without a crash, session-length " +
    "the median active time of a session, engagement the share of play time that is active, and day-1 the share of " +
    "testers who came back on the day after their first session.",
  flags: {
    tag: text(
      "--tag <tag>",
      "friction tag such as difficulty-spike:furnace, or another row such as quit:furnace",
    ),
    metric: choice(
      "--metric <metric>",
      `metric instead of a tag (default: ${DEFAULT_TREND_METRIC})`,
      trendMetrics,
    ),
    env: text("--env <slug>", "environment, or `all` (default: production)"),
    last: integer("--last <n>", `number of builds (default: ${DEFAULT_TREND_BUILDS})`, 1, MAX_TREND_BUILDS),
    ...chartFlags,
  },
  examples: [
    "builds trend --game ember --tag difficulty-spike:furnace",
    "builds trend --game ember --tag quit:furnace",
    "builds trend --game ember --metric session-length --last 5 --out length.svg",
  ],
  async run(context, { flags: { tag, metric, env, last, out } }) {
    checkChartFile(out);
    if (tag !== undefined && metric !== undefined) {
      throw fail("usage", {
        message: `--tag ${JSON.stringify(tag)} cannot be used with --metric`,
        hint: "Use only one of them.",
      });
    }
    const client = await context.client(trends);
    const game = await context.requireGame();
    const data = await inEnvironment(
      context,
      env,
      (chosen) => client.getTrend({ game, tag, metric, env: chosen, last }),
      ({ points }) => points.length === 0,
    );
    await writeCharts(context, out, () => [trendChart(data)]);
    return {
      data,
      table: createTable(
        data.points,
        trendColumns,
        describeEmptyTrend(data, "Select another environment with --env."),
      ),
      items: data.points,
      view: async (options) => {
        if (data.points.length === 0) return "";
        const { renderIntervals } = await import("../../../render/charts/rows.ts");
        const { answerTrend } = await import("../../../render/charts/answers.ts");
        return renderIntervals(trendChart(data), options, answerTrend(data));
      },
    };
  },
});

export const commands = [
  listBuildsCommand,
  getBuildCommand,
  compareBuildsCommand,
  dropoffCommand,
  trendCommand,
  blameCommand,
  suggestionsCommand,
  registerCommand,
];
