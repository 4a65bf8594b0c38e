/** Webhooks: chat threads that become sessions. */
import * as z from "zod";
import { defineWrite } from "./define.ts";
import { count, text, unicodeText } from "./fields.ts";

/** What a webhook body may hold, bytes. */
export const MAX_WEBHOOK_BYTES = 100 * 1024;

export const ingestDiscordThread = defineWrite({
  name: "ingestDiscordThread",
  tool: "ingest_discord_thread",
  path: "/api/webhooks/discord",
  summary: "Opens a session for a chat thread, or adds to the one that is open",
  tag: "webhooks",
  sample: { channel_id: "{unique}", game: "{game}" },
  keys: ["management"],
  credential: "query",
  maxBody: MAX_WEBHOOK_BYTES,
  status: 201,
  otherStatuses: [200],
  idempotent: false,
  body: z.object({
    channel_id: unicodeText(1, 120).describe("A string: numbers lose digits"),
    game: text(1, 120).describe("Game slug or id"),
    thread_id: unicodeText(1, 120).optional().describe("Absent: the session is the channel's"),
  }),
  response: z.object({
    sessionsCreated: count.describe("1 with status 201, 0 with status 200"),
    messagesIngested: count,
  }),
  errors: ["payload_too_large", "unsupported_media_type"],
});
