/** crashes list: crashes by stack signature. */

import type { CrashGroup, CrashPage } from "../../../contract/crashes.ts";
import * as crashes from "../../../contract/crashes.ts";
import type { TableColumn } from "../../../render/columns.ts";
import { renderParagraph } from "../../../render/paragraph.ts";
import { renderTable } from "../../../render/table.ts";
import { command, createTable } from "../../command.ts";
import { text, time } from "../../flags.ts";
import { idColumn, textColumn, timeColumn, wideColumn } from "../columns.ts";
import { isMultiPage, listFlags, listResult } from "../gather.ts";
import { readSince, sinceFlag } from "../since.ts";

const columns: readonly TableColumn<CrashGroup>[] = [
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

export const listCrashesCommand = command({
  path: "crashes list",
  summary: "List crashes grouped by stack signature, those of most testers first",
  details:
    "Groups the `crash_reported` events by the kind of crash and the top 3 frames of the stack that do not belong to the engine " +
    "or the system. Addresses, line numbers and parameters do not matter. Crashes without a stack are grouped by the " +
    "words of the message without numbers. A crash that the game reported at its next start counts for the session that " +
    "crashed.\n\nSESSION contains the event of the last crash: `playtest sessions events <session> --event crash_reported` shows it. " +
    "Errors after which the game continued (`application_error`) are not listed.",
  args: [],
  flags: {
    build: text("--build <version>", "exact build version"),
    env: text("--env <slug>", "environment, or all (default: production)"),
    from: time("--from <time>", "sessions recorded at or after"),
    to: time("--to <time>", "sessions recorded at or before"),
    since: sinceFlag("sessions recorded at or after"),
    ...listFlags,
  },
  examples: ["crashes list --game ember", "crashes list --build 0.9.0 --env all --since 7d --json"],
  async run(context, { flags }) {
    const { limit: _limit, offset: _offset, all: _all, from, since, ...filter } = flags;
    const game = await context.requireGame();
    const client = await context.client(crashes, { keepAlive: isMultiPage(flags) });
    const query = { ...filter, from: readSince({ from, since }), game };
    const result = await listResult(context, flags, (range) => client.listCrashes({ ...query, ...range }), {
      columns,
      empty: "",
    });
    if (result.pages) return result;
    const data = result.data as CrashPage;
    return {
      ...result,
      table: createTable(data.items, columns, describeScope(data)),
      view: (options) =>
        data.items.length === 0
          ? ""
          : `${renderParagraph(describeScope(data), "", options).join("\n")}\n\n${renderTable(data.items, columns, options)}`,
    };
  },
});

const plural = (count: number, one: string, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;

/** What the groups cover, and what they do not. */
function describeScope({
  environment,
  crashCount,
  testerCount,
  testersInScope,
  notGrouped,
}: CrashPage): string {
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
      ? [
          `${plural(unread, "older session")} with crashes not read. Select them with --build, --from or --to.`,
        ]
      : []),
  ].join(" ");
}
