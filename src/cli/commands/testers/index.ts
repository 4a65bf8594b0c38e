/** The commands about testers. */
import { journeyChart } from "../../../charts/journey.ts";
import { cohortChart } from "../../../charts/retention.ts";
import * as retention from "../../../contract/retention.ts";
import {
  DEFAULT_RETENTION_BUILDS,
  MAX_RETENTION_BUILDS,
  type Retention,
  type RetentionCohort,
} from "../../../contract/retention.ts";
import { sessions } from "../../../contract/sessions.ts";
import * as journeys from "../../../contract/testers.ts";
import * as testers from "../../../contract/testers.ts";
import type { TableColumn } from "../../../render/columns.ts";
import { renderDetails } from "../../../render/details.ts";
import { formatCount } from "../../../render/numbers.ts";
import { renderTable } from "../../../render/table.ts";
import { defineColumns, toColumns } from "../../../render/tables/columns.ts";
import { journeyColumns } from "../../../render/tables/journeys.ts";
import { testerDetails } from "../../../render/tables/tester-details.ts";
import { command, createTable } from "../../command.ts";
import { inEnvironment } from "../../default-environment.ts";
import { fail } from "../../errors.ts";
import { integer, text } from "../../flags.ts";
import { withWholeId } from "../../short-ids.ts";
import { chartFlags, checkChartFile, writeCharts } from "../chart-file.ts";
import { createListTable } from "../lists.ts";
import { archetypesCommand } from "./archetypes.ts";
import { listTestersCommand } from "./list.ts";

const getTesterCommand = command({
  path: "testers get",
  summary: "Show a tester's play time, sessions and summary",
  details:
    "Finds the same sessions as `playtest testers journey`: those of the device that is linked to the handle, or those that " +
    "name the handle. A session without a device is its own tester, named by the id of the session. The location is that of the newest session with a place.",
  args: [{ name: "<tester>", describe: "tester handle, device id, or id of a session without a device" }],
  flags: { env: text("--env <slug>", "environment of the summary (default: production)") },
  examples: ["testers get theo-lag --game ember", "testers get dev_0123 --game ember"],
  async run(context, { args, flags }) {
    // The path of this tester is that of the archetypes.
    if (args[0] === "archetypes") {
      throw fail("usage", {
        message: "`archetypes` is reserved and cannot be a tester",
        hint: "Run `playtest testers archetypes` to see groups of similar testers.",
      });
    }
    const client = await context.client(testers);
    const game = await context.requireGame();
    const data = await withWholeId(context, "sess", args[0] ?? "", (deviceId) =>
      client.getTester({ game, deviceId, env: flags.env }),
    );
    if (!data.summary)
      await (await import("../../unknown-names.ts")).requireKnownNames(context, { env: flags.env });
    const table = await createListTable(context, data.sessions, toColumns(sessions), "No sessions.");
    return {
      data,
      table,
      view: (options) =>
        `${renderDetails(testerDetails(data, options), options)}\n${renderTable(data.sessions, table.columns, options)}`,
    };
  },
});

const journeyCommand = command({
  path: "testers journey",
  summary: "Show a tester's sessions, with highlights and problems in each session",
  details:
    "The summary says that sessions are getting longer or shorter only if their active times show it beyond chance, by a " +
    "Mann-Kendall test at the level of 5%, which takes at least five sessions. In JSON, `engagementTrend` compares the mean " +
    "active time of the last three sessions with that of the first three, and a difference of up to 15% is flat.",
  args: [{ name: "<tester>", describe: "tester handle, device id, or id of a session without a device" }],
  flags: { env: text("--env <slug>", "environment (default: all environments combined)"), ...chartFlags },
  examples: [
    "testers journey theo-lag --game ember",
    "testers journey theo-lag --game ember --out journey.svg",
    "testers journey theo-lag --game ember --json --jq .journey.engagementTrend",
  ],
  async run(context, { args, flags: { env, out } }) {
    checkChartFile(out);
    const client = await context.client(journeys);
    const game = await context.requireGame();
    const data = await withWholeId(context, "sess", args[0] ?? "", (deviceId) =>
      client.getTesterJourney({ game, deviceId, env }),
    );
    await writeCharts(context, out, () => [journeyChart(data.journey)]);
    return {
      data,
      table: createTable(data.journey.entries, journeyColumns, "No sessions."),
      items: data.journey.entries,
      view: async (options) => (await import("./journey-view.ts")).journeyView(data.journey, options),
    };
  },
});

const DAYS = [1, 2, 7];

const retentionColumns: readonly TableColumn<RetentionCohort>[] = [
  ...defineColumns<RetentionCohort>({
    build: { header: "FIRST BUILD", shrink: 1 },
    testers: { header: "TESTERS" },
  }),
  ...DAYS.flatMap((day): TableColumn<RetentionCohort>[] => {
    const find = ({ days }: RetentionCohort) => days.find((entry) => entry.day === day);
    return [
      { key: `day${day}.retained`, header: `DAY ${day}`, value: (cohort) => find(cohort)?.retained ?? null },
      { key: `day${day}.eligible`, header: "OF", value: (cohort) => find(cohort)?.eligible ?? null },
      { key: `day${day}.rate`, header: "RATE", value: (cohort) => find(cohort)?.rate ?? null },
    ];
  }),
];

const retentionCommand = command({
  path: "testers retention",
  summary: "Show how many testers came back, by their first build",
  details:
    "Shows day 1, 2 and 7. Day N is the 24 hours that start N days after the first session of a tester, in any build. Only testers whose day N " +
    "is over are counted; until then, the rate is not known. Experiments use the same definition. Sessions without a " +
    "device id are left out, because it is not known whose they are.",
  flags: {
    env: text("--env <slug>", "environment, or `all` (default: production)"),
    last: integer(
      "--last <n>",
      `number of builds (default: ${DEFAULT_RETENTION_BUILDS})`,
      1,
      MAX_RETENTION_BUILDS,
    ),
    ...chartFlags,
  },
  examples: ["testers retention --game ember", "testers retention --game ember --last 3 --out retention.svg"],
  async run(context, { flags: { env, last, out } }) {
    checkChartFile(out);
    const client = await context.client(retention);
    const game = await context.requireGame();
    const data = await inEnvironment(
      context,
      env,
      (chosen) => client.getRetention({ game, env: chosen, last }),
      ({ cohorts }) => cohorts.length === 0,
    );
    await writeCharts(context, out, () => [cohortChart(data)]);
    return {
      data,
      table: createTable(data.cohorts, retentionColumns, describeNothing(data)),
      items: data.cohorts,
      view: async (options) => {
        if (data.cohorts.length === 0) return "";
        const { renderIntervals } = await import("../../../render/charts/rows.ts");
        const { answerRetention } = await import("../../../render/charts/answers.ts");
        return renderIntervals(cohortChart(data), options, answerRetention(data));
      },
    };
  },
});

function describeNothing({ environment, withoutDevice }: Retention): string {
  const where = environment === "all" ? "" : ` in ${environment}`;
  return withoutDevice > 0
    ? `No tester can be recognized${where}: ${formatCount(withoutDevice, "session")} have no device id.`
    : `No build has sessions${where}.${environment === "all" ? "" : " Use --env all to include all environments."}`;
}

export const commands = [
  listTestersCommand,
  getTesterCommand,
  journeyCommand,
  archetypesCommand,
  retentionCommand,
];
