/** testers journey: one tester's sessions in chronological order, and the engagement trend. */

import { journeyChart } from "../../../charts/journey.ts";
import * as journeys from "../../../contract/journeys.ts";
import { journeyColumns } from "../../../render/tables/journeys.ts";
import { command, createTable } from "../../command.ts";
import { text } from "../../flags.ts";
import { withWholeId } from "../../short-ids.ts";
import { chartFlags, checkChartFile, writeCharts } from "../chart-file.ts";

export const journeyCommand = command({
  path: "testers journey",
  summary: "Show a tester's sessions, with highlights and problems in each session",
  details:
    "The active time trend compares the mean active time of the last three sessions with that of the first three " +
    "sessions. A difference of up to 15% is flat. With four or five sessions, some sessions are in both groups, so the " +
    "trend is smaller than the real change.",
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
