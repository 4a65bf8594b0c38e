/** feedback get: one submission in full. */
import * as feedbackList from "../../../contract/feedback-list.ts";
import { feedbackColumns } from "../../../render/tables/feedback.ts";
import { command, createTable } from "../../command.ts";
import { withWholeId } from "../../short-ids.ts";
import { renderSubmission } from "./view.ts";

export const getFeedbackCommand = command({
  path: "feedback get",
  summary: "Show what a tester answered to a feedback form",
  details: "Accepts the id of a submission, or the id of one answer, as insights refer to it.",
  args: [{ name: "<submission>", describe: "submission id (sub_...) or answer id (resp_...)" }],
  flags: {},
  examples: ["feedback get sub_0123 --game ember", "feedback get resp_0456 --game ember"],
  async run(context, { args }) {
    const client = await context.client(feedbackList);
    const game = await context.requireGame();
    const data = await withWholeId(context, "sub", args[0] ?? "", (id) => client.getFeedback({ game, id }));
    return {
      data,
      items: [data.submission],
      table: createTable([data.submission], feedbackColumns, ""),
      view: (options) => renderSubmission(data.submission, options),
    };
  },
});
