/** bug-reports get: one bug report in full. */

import type { BugReport } from "../../../contract/bug-reports.ts";
import * as bugReports from "../../../contract/bug-reports.ts";
import { renderDetails } from "../../../render/details.ts";
import type { RenderOptions } from "../../../render/options.ts";
import { bugReportColumns } from "../../../render/tables/bug-reports.ts";
import { describeData } from "../../../render/tables/event-text.ts";
import { formatTime } from "../../../render/time.ts";
import { command, createTable } from "../../command.ts";
import { withWholeId } from "../../short-ids.ts";

export const getBugReportCommand = command({
  path: "bug-reports get",
  summary: "Show a bug report that a player sent",
  args: [{ name: "<bug-report>", describe: "bug report id, or its beginning" }],
  flags: {},
  examples: ["bug-reports get bug_0123 --game ember"],
  async run(context, { args }) {
    const client = await context.client(bugReports);
    const game = await context.requireGame();
    const data = await withWholeId(context, "bug", args[0] ?? "", (id) => client.getBugReport({ game, id }));
    return {
      data,
      items: [data.report],
      table: createTable([data.report], bugReportColumns, ""),
      view: (options) => renderBugReport(data.report, options),
    };
  },
});

function renderBugReport(report: BugReport, options: RenderOptions): string {
  return renderDetails(
    [
      ["Title", report.title, "strong"],
      ["ID", report.id],
      ["Severity", report.severity],
      ["Description", report.description],
      ["Build", report.build],
      ["Environment", report.environment],
      ["Platform", report.platform],
      ["Device", describeData(report.device)],
      ["Player", report.playerId ?? null],
      ["Session", report.sessionId ?? null],
      ["Sent", formatTime(report.createdAt, options)],
    ],
    options,
  );
}
