/** Table columns of crash groups, and what the groups cover. */
import type { CrashGroup, CrashPage } from "../../contract/crashes.ts";
import type { TableColumn } from "../columns.ts";
import { idColumn, textColumn, timeColumn, wideColumn } from "./columns.ts";

export const crashColumns: readonly TableColumn<CrashGroup>[] = [
  textColumn("testerCount", "TESTERS", ({ testerCount }) => testerCount),
  textColumn("crashCount", "CRASHES", ({ crashCount }) => crashCount),
  {
    ...textColumn<CrashGroup>("signature", "SIGNATURE", ({ signature }) => signature, 2),
    minWidth: 16,
    last: true,
    style: "strong",
  },
  textColumn("builds", "BUILDS (CRASHES)", describeBuilds, 1),
  idColumn("sessionId", "SESSION", ({ sessionId }) => sessionId),
  wideColumn(timeColumn("lastSeen", "LAST SEEN", ({ lastSeen }) => lastSeen)),
  wideColumn(textColumn("message", "MESSAGE", ({ message }) => message ?? null, 4)),
  wideColumn(textColumn("sessionCount", "SESSIONS", ({ sessionCount }) => sessionCount)),
  wideColumn(timeColumn("firstSeen", "FIRST SEEN", ({ firstSeen }) => firstSeen)),
  wideColumn(textColumn("firstBuild", "FIRST BUILD", ({ firstBuild }) => firstBuild)),
  wideColumn(textColumn("eventId", "EVENT", ({ eventId }) => eventId)),
];

function describeBuilds({ builds, buildCount }: CrashGroup): string {
  const listed = builds.map(({ build, crashCount }) => `${build} (${crashCount})`).join(", ");
  return buildCount > builds.length ? `${listed}, +${buildCount - builds.length}` : listed;
}

const plural = (count: number, one: string, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;

/** What the groups cover, and what they do not. `filters` are the names of those that select older sessions. */
export function describeCrashScope(
  { environment, crashCount, testerCount, testersInScope, notGrouped }: CrashPage,
  filters = "--build, --from or --to",
): string {
  const where = environment === "all" ? "in all environments" : `in ${environment}`;
  const { pruned, damaged, unread } = notGrouped;
  const total =
    crashCount === 0
      ? `No crashes ${where}, among ${plural(testersInScope, "tester")}.`
      : `${plural(crashCount, "crash", "crashes")} ${where}, of ${testerCount} of ${plural(testersInScope, "tester")}.`;
  return [
    total,
    ...(pruned > 0 ? [`Retention removed the events of ${plural(pruned, "session")} with crashes.`] : []),
    ...(damaged > 0 ? [`The events of ${plural(damaged, "session")} with crashes cannot be read.`] : []),
    ...(unread > 0
      ? [`${plural(unread, "older session")} with crashes not read. Select them with ${filters}.`]
      : []),
  ].join(" ");
}
