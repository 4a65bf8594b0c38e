/** ingest discord: reports a chat thread to the service, like the webhook does. */

import { ClientError } from "../../../client/errors.ts";
import * as webhooks from "../../../contract/webhooks.ts";
import { renderDetails } from "../../../render/details.ts";
import { command } from "../../command.ts";
import { fail } from "../../errors.ts";
import { text } from "../../flags.ts";

/** The webhook returns 400, not 404, for a game that it cannot find. */
const isUnknownGame = (error: unknown): error is ClientError =>
  error instanceof ClientError && error.code === "bad_request" && error.message === "unknown game";

function unknownGameError(game: string, cause: ClientError): Error {
  return fail("bad_request", {
    message: `Game ${JSON.stringify(game)} not found`,
    hint: "Run `playtest games list` to see the games this key can read.",
    requestId: cause.requestId,
    cause,
  });
}

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
    const data = await client.ingestDiscordThread({ body }).catch((error: unknown) => {
      throw isUnknownGame(error) ? unknownGameError(game, error) : error;
    });
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
