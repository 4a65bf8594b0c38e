/** Table columns of bug reports. */
import type { BugReport } from "../../contract/bug-reports.ts";
import type { TableColumn } from "../columns.ts";
import { groupColumn, idColumn, textColumn, timeColumn, wideColumn } from "./columns.ts";

const severityStyles: Readonly<Record<string, "bad" | "muted">> = {
  critical: "bad",
  high: "bad",
  low: "muted",
};

export const bugReportColumns: readonly TableColumn<BugReport>[] = [
  groupColumn({
    ...textColumn<BugReport>("severity", "SEVERITY", ({ severity }) => severity),
    style: ({ severity }) => severityStyles[severity] ?? null,
  }),
  { ...textColumn<BugReport>("title", "TITLE", ({ title }) => title, 2), minWidth: 16, last: true },
  groupColumn(textColumn("build", "BUILD", ({ build }) => build, 1)),
  wideColumn(textColumn("description", "DESCRIPTION", ({ description }) => description, 3)),
  groupColumn(textColumn("environment", "ENVIRONMENT", ({ environment }) => environment, 3)),
  groupColumn(textColumn("platform", "PLATFORM", ({ platform }) => platform, 1)),
  idColumn("id", "ID", ({ id }) => id),
  timeColumn("createdAt", "SENT", ({ createdAt }) => createdAt),
  wideColumn(textColumn("sessionId", "SESSION", ({ sessionId }) => sessionId ?? null)),
  wideColumn(textColumn("playerId", "PLAYER", ({ playerId }) => playerId ?? null)),
];
