/** Handlers of the bug report endpoints. */
import type { getBugReport, listBugReports, submitBugReport } from "../../contract/bug-reports.ts";
import { HttpError } from "../../contract/errors.ts";
import type { Handler } from "../accounts/handler.ts";
import { requireGame } from "../games/game-queries.ts";
import { requireIngestEnvironment, toIngestScope } from "../games/key-game.ts";
import { createListHandler } from "../games/list-handler.ts";
import { readEnvironment } from "../telemetry/sdk-headers.ts";
import { storedBugReports } from "./bug-report-queries.ts";
import { submitReport } from "./bug-reports.ts";

export const handleSubmitBugReport: Handler<typeof submitBugReport> = async (
  { body },
  { service, key, headers, warnings },
) => {
  const scope = toIngestScope(key);
  const environment = requireIngestEnvironment(scope, body.context?.environment ?? readEnvironment(headers));
  const report = { ...body, context: { ...body.context, environment } };
  const receipt = await submitReport(service, scope, report);
  return warnings.length === 0 ? receipt : { ...receipt, warnings: [...warnings] };
};

export const handleListBugReports: Handler<typeof listBugReports> =
  createListHandler<typeof listBugReports>(storedBugReports);

export const handleGetBugReport: Handler<typeof getBugReport> = async (input, { db, accountId }) => {
  const game = await requireGame(db, accountId, input.game);
  const report = await storedBugReports.findById(db, game.id, input.id);
  if (!report) throw new HttpError("not_found");
  return { report };
};
