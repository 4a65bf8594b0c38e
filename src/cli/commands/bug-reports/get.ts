/** bug-reports get: one bug report in full. */
import * as bugReports from "../../../contract/bug-reports.ts";
import { renderDetails } from "../../../render/details.ts";
import { bugReportColumns, bugReportDetails } from "../../../render/tables/bug-reports.ts";
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
      view: (options) => renderDetails(bugReportDetails(data.report, options), options),
    };
  },
});
