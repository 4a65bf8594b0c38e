/** Webhooks: Discord threads that become sessions. */
import * as z from "zod";
import { defineWrite } from "./define.ts";
import { count, text, unicodeText } from "./fields.ts";

/** The maximum size of a webhook body in bytes. */
export const MAX_WEBHOOK_BYTES = 100 * 1024;

export const ingestDiscordThread = defineWrite({
  name: "ingestDiscordThread",
  tool: "ingest_discord_thread",
  path: "/api/webhooks/discord",
  summary: "Create a session for a Discord thread, or add to its open session",
  tag: "webhooks",
  sample: { channel_id: "{unique}", game: "{game}" },
  keys: ["management"],
  credential: "query",
  maxBody: MAX_WEBHOOK_BYTES,
  status: 201,
  otherStatuses: [200],
  idempotent: false,
  body: z.object({
    channel_id: unicodeText(1, 120).describe("ID of the channel, as a string"),
    game: text(1, 120).describe("Game ID or slug"),
    thread_id: unicodeText(1, 120)
      .optional()
      .describe("ID of the thread. Without it, the session belongs to the channel"),
  }),
  response: z.object({
    sessionsCreated: count.describe("1 with status 201, 0 with status 200"),
    messagesIngested: count.describe("Always 0: the service does not read messages"),
  }),
  errors: ["payload_too_large", "unsupported_media_type"],
});
