/** ingest discord: reports a chat thread to the service, like the webhook does. */

import * as webhooks from "../../../contract/webhooks.ts";
import { renderDetails } from "../../../render/details.ts";
import { command } from "../../command.ts";
import { fail } from "../../errors.ts";
import { text } from "../../flags.ts";

export const ingestDiscordCommand = command({
  path: "ingest discord",
  summary: "Open a session for a chat thread, or extend the open one",
  details:
    "A call within 30 minutes of the previous call for the same channel and thread extends the same session. " +
    "The request is sent once and is not retried. Requires a management key.",
  args: [],
  flags: {
    channel: text("--channel <id>", "channel id (required)"),
    thread: text("--thread <id>", "thread id (default: the channel itself)"),
  },
  examples: ["ingest discord --game ember --channel 1187 --thread 2290"],
  async run(context, { flags: { channel, thread } }) {
    if (channel === undefined) {
      throw fail("usage", { message: "--channel is required", hint: "Add --channel <id>." });
    }
    const client = await context.client(webhooks);
    const game = await context.requireGame();
    const body = { channel_id: channel, game, ...(thread === undefined ? {} : { thread_id: thread }) };
    const data = await client.ingestDiscordThread({ body });
    return {
      data,
      view: (options) =>
        renderDetails(
          [
            ["Session", data.sessionsCreated > 0 ? "opened" : "extended (it was already open)", "good"],
            ["Messages", data.messagesIngested],
          ],
          options,
        ),
    };
  },
});
