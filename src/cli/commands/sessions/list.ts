/** sessions list: sessions that match the filters. */
import * as sessions from "../../../contract/sessions.ts";
import { sessionSources, sessionStatuses } from "../../../contract/sessions.ts";
import { sessionColumns } from "../../../render/tables/sessions.ts";
import { command } from "../../command.ts";
import { choice, text, time } from "../../flags.ts";
import { isMultiPage, listFlags, listResult } from "../gather.ts";

export const listSessionsCommand = command({
  path: "sessions list",
  summary: "List sessions, newest first",
  details:
    "By default, lists the sessions of one game. If no game is set, lists the sessions of all games of the " +
    "account.",
  args: [],
  flags: {
    build: text("--build <version>", "exact build version"),
    env: text("--env <slug>", "environment (default: all environments combined)"),
    status: choice("--status <status>", `session status: ${sessionStatuses.join(", ")}`, sessionStatuses),
    source: choice("--source <source>", `session source: ${sessionSources.join(", ")}`, sessionSources),
    q: text("-q, --query <text>", "search title, tester handle and transcript (case-insensitive)"),
    from: time("--from <time>", "sessions recorded at or after"),
    to: time("--to <time>", "sessions recorded at or before"),
    ...listFlags,
  },
  examples: ["sessions list --game ember", "sessions list --build 0.9.0 --from 7d --all --format csv"],
  async run(context, { flags }) {
    const { limit: _limit, offset: _offset, all: _all, ...filter } = flags;
    const game = (await context.findGame())?.value;
    const client = await context.client(sessions, { keepAlive: isMultiPage(flags) });
    return await listResult(context, flags, (range) => client.listSessions({ ...filter, game, ...range }), {
      columns: sessionColumns,
      empty: "No sessions match.",
    });
  },
});
