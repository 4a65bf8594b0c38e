/** The commands about insights. */
import * as insightEvidence from "../../../contract/insight-evidence.ts";
import { describeNoEvents, evidenceColumns } from "../../../render/tables/insights.ts";
import { evidenceEventColumns } from "../../../render/tables/session-events.ts";
import { command, createTable } from "../../command.ts";
import { withWholeId } from "../../short-ids.ts";
import { listInsightsCommand } from "./list.ts";

const getInsightCommand = command({
  path: "insights get",
  summary: "Show an insight with the events and answers that it is based on",
  details:
    "Times are minutes and seconds since the first event of the session. The events are those that the insight refers " +
    "to; `playtest sessions events <session> --around <insight>` shows what happened in between.",
  args: [{ name: "<insight>", describe: "insight id, or its beginning" }],
  examples: ["insights get ins_0123", "insights get ins_0123 --json --jq '.events[].name'"],
  async run(context, { args }) {
    const client = await context.client(insightEvidence);
    const data = await withWholeId(context, "ins", args[0] ?? "", (id) => client.getInsight({ id }));
    return {
      data,
      items: [data.insight],
      table: createTable([data.insight], evidenceColumns, ""),
      sections: [
        { title: "Events", table: createTable(data.events, evidenceEventColumns, describeNoEvents(data)) },
      ],
      view: async (options) => (await import("./view.ts")).insightView(data, options),
    };
  },
});

export const commands = [listInsightsCommand, getInsightCommand];
