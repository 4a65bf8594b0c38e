/** crashes list: crashes by stack signature. */

import type { CrashPage } from "../../../contract/crashes.ts";
import * as crashes from "../../../contract/crashes.ts";
import { renderParagraph } from "../../../render/paragraph.ts";
import { renderTable } from "../../../render/table.ts";
import { crashColumns, describeCrashScope } from "../../../render/tables/crashes.ts";
import { command, createTable } from "../../command.ts";
import { text, time } from "../../flags.ts";
import { isMultiPage, listFlags, listResult } from "../gather.ts";
import { readSince, sinceFlag } from "../since.ts";

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
      columns: crashColumns,
      empty: "",
    });
    if (result.pages) return result;
    const data = result.data as CrashPage;
    return {
      ...result,
      table: createTable(data.items, crashColumns, describeCrashScope(data)),
      view: (options) =>
        data.items.length === 0
          ? ""
          : `${renderParagraph(describeCrashScope(data), "", options).join("\n")}\n\n${renderTable(data.items, crashColumns, options)}`,
    };
  },
});
