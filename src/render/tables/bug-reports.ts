/** Table columns and details of bug reports. */

import type { BugReport } from "../../contract/bug-reports.ts";
import { ownValue } from "../../shared/own-value.ts";
import type { TableColumn } from "../columns.ts";
import type { Detail } from "../details.ts";
import type { RenderOptions } from "../options.ts";
import { formatTime } from "../time.ts";
import { groupColumn, idColumn, textColumn, timeColumn, wideColumn } from "./columns.ts";
import { describeData } from "./event-text.ts";

const severityStyles: Readonly<Record<string, "bad" | "muted">> = {
  critical: "bad",
  high: "bad",
  low: "muted",
};

export const bugReportColumns: readonly TableColumn<BugReport>[] = [
  groupColumn({
    ...textColumn<BugReport>("severity", "SEVERITY", ({ severity }) => severity),
    style: ({ severity }) => ownValue(severityStyles, severity) ?? null,
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

export function bugReportDetails(report: BugReport, options: RenderOptions): Detail[] {
  return [
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
  ];
}
