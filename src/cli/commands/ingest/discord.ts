/** ingest discord: tells the service of a chat thread, as the chat's webhook does. */

import * as webhooks from "../../../contract/webhooks.ts";
import { renderDetails } from "../../../render/details.ts";
import { command } from "../../command.ts";
import { fail } from "../../errors.ts";
import { text } from "../../flags.ts";

export const ingestDiscordCommand = command({
  path: "ingest discord",
  summary: "Open a session for a chat thread, or add to the one that is open",
  details:
    "Each call within 30 minutes of the last one of the same channel and thread adds to the same session. It is sent " +
    "once and never tried again by itself. Takes the management key.",
  args: [],
  flags: {
    channel: text("--channel <id>", "id of the channel; required"),
    thread: text("--thread <id>", "id of the thread; the channel itself without one"),
  },
  examples: ["ingest discord --game ember --channel 1187 --thread 2290"],
  async run(context, { flags: { channel, thread } }) {
    if (channel === undefined) {
      throw fail("usage", { message: "--channel is missing", hint: "Name the channel: --channel <id>." });
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
            ["Session", data.sessionsCreated > 0 ? "opened" : "already open, extended", "good"],
            ["Messages", data.messagesIngested],
          ],
          options,
        ),
    };
  },
});
