/** Table columns of builds. */
import type { ListedBuild } from "../../contract/build-list.ts";
import type { TableColumn } from "../columns.ts";
import { durationColumn, groupColumn, textColumn, timeColumn, wideColumn } from "./columns.ts";

/** The totals of one build. Sessions do not show their testers and environments. */
export type BuildRow = Omit<ListedBuild, "testerCount" | "environments"> &
  Partial<Pick<ListedBuild, "testerCount" | "environments">>;

export const buildColumns: readonly TableColumn<BuildRow>[] = [
  { ...textColumn<BuildRow>("version", "BUILD", (build) => build.version, 1), style: "strong" },
  textColumn("sessionCount", "SESSIONS", (build) => build.sessionCount),
  textColumn("testerCount", "TESTERS", (build) => build.testerCount ?? null),
  textColumn("analyzedCount", "ANALYZED", (build) => build.analyzedCount),
  {
    ...textColumn<BuildRow>("failedCount", "FAILED", (build) => build.failedCount),
    style: (build) => (build.failedCount > 0 ? "bad" : null),
  },
  durationColumn("totalWallSec", "PLAY TIME", (build) => build.totalWallSec),
  wideColumn(timeColumn("firstSeen", "FIRST SEEN", (build) => build.firstSeen)),
  timeColumn("lastSeen", "LAST SEEN", (build) => build.lastSeen),
  groupColumn(
    textColumn("environments", "ENVIRONMENTS", (build) => build.environments?.join(", ") ?? null, 2),
  ),
];
