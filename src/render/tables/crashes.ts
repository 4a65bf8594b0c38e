/** What groups of crashes cover. */

import type { CrashPage } from "../../contract/crashes.ts";
import { formatUtcDay } from "../../shared/time-units.ts";
import { formatCount } from "../../shared/words.ts";

/** What the groups cover, and what they do not. `filters` are the names of those that select older sessions. */
export function describeCrashScope(
  { environment, crashCount, testerCount, testersInScope, notGrouped, completeSince }: CrashPage,
  filters = "--build, --from or --to",
): string {
  const where = environment === "all" ? "in all environments" : `in ${environment}`;
  const { pruned, damaged, unread } = notGrouped;
  const total =
    crashCount === 0
      ? `No crashes ${where}, among ${formatCount(testersInScope, "tester")}.`
      : `${formatCount(crashCount, "crash", "crashes")} ${where}, of ${testerCount} of ${formatCount(testersInScope, "tester")}.`;
  return [
    total,
    ...(pruned > 0
      ? [
          `Pruning removed the events of ${formatCount(pruned, "session")} with crashes, up to ${formatUtcDay(completeSince ?? 0)}.`,
        ]
      : []),
    ...(damaged > 0 ? [`The events of ${formatCount(damaged, "session")} with crashes cannot be read.`] : []),
    ...(unread > 0
      ? [`${formatCount(unread, "older session")} with crashes not read. Select them with ${filters}.`]
      : []),
  ].join(" ");
}
