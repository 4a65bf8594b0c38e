/** bug-reports list: what players reported from inside the game. */
import * as bugReports from "../../../contract/bug-reports.ts";
import { bugReportSeverities } from "../../../contract/bug-reports.ts";
import { bugReportColumns as columns } from "../../../render/tables/bug-reports.ts";
import { command } from "../../command.ts";
import { choice, text, time } from "../../flags.ts";
import { isMultiPage, listFlags, listResult } from "../gather.ts";

export const listBugReportsCommand = command({
  path: "bug-reports list",
  summary: "List the bug reports that players sent from the game, newest first",
  args: [],
  flags: {
    build: text("--build <version>", "exact build version"),
    env: text("--env <slug>", "environment (default: all environments combined)"),
    severity: choice(
      "--severity <severity>",
      `severity: ${bugReportSeverities.join(", ")}`,
      bugReportSeverities,
    ),
    from: time("--from <time>", "reports sent at or after"),
    to: time("--to <time>", "reports sent at or before"),
    ...listFlags,
  },
  examples: ["bug-reports list --game ember", "bug-reports list --severity critical --build 0.9.0 --json"],
  async run(context, { flags }) {
    const { limit: _limit, offset: _offset, all: _all, ...filter } = flags;
    const game = await context.requireGame();
    const client = await context.client(bugReports, { keepAlive: isMultiPage(flags) });
    return await listResult(context, flags, (range) => client.listBugReports({ ...filter, game, ...range }), {
      columns,
      empty: "No bug reports match.",
    });
  },
});
