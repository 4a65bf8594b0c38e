/** The commands about sessions. */
import * as sessions from "../../../contract/sessions.ts";
import { toColumns } from "../../../render/tables/columns.ts";
import { evidenceColumns } from "../../../render/tables/insights.ts";
import {
  answerColumns,
  describeNoInsights,
  listAnswers,
  watchedColumns,
} from "../../../render/tables/sessions.ts";
import { command, createTable } from "../../command.ts";
import { withWholeId } from "../../short-ids.ts";
import { createListCommand } from "../resource-commands.ts";
import { listSessionEventsCommand } from "./events.ts";

const getSessionCommand = command({
  path: "sessions get",
  summary: "Show a session with its insights and their evidence",
  details:
    "STRENGTH, from 0 to 1, grows with the evidence of an insight. It is not a probability.\n\nThe session length comes " +
    "from the last heartbeat or summary of the game, if it reports a time. After a crash, no summary is sent, so the " +
    "length can be shorter than the time between the events.",
  args: [{ name: "<session>", describe: "session id, or its beginning" }],
  examples: ["sessions get sess_0123", "sessions get sess_0123 --json --jq '.insights[].evidence'"],
  async run(context, { args }) {
    const client = await context.client(sessions);
    const data = await withWholeId(context, "sess", args[0] ?? "", (id) => client.getSession({ id }));
    return {
      data,
      table: createTable([data.session], toColumns(sessions.sessions), ""),
      sections: [
        {
          title: "Insights",
          table: createTable(data.insights, evidenceColumns, describeNoInsights(data.session)),
        },
        { title: "Feedback", table: createTable(listAnswers(data.session), answerColumns, "No feedback.") },
      ],
      view: async (options) => (await import("./view.ts")).sessionView(data, options),
    };
  },
});

const listSessionsCommand = createListCommand(sessions.sessions, {
  forPeople: async ({ query, read }) =>
    query.sort === undefined ? null : { columns: watchedColumns, fetchPage: read, note: null },
});

export const commands = [listSessionsCommand, getSessionCommand, listSessionEventsCommand];
