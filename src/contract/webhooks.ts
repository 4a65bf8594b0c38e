/** Webhooks: chat threads that become sessions. */
import * as z from "zod";
import { write } from "./define.ts";
import { count, text } from "./fields.ts";

/** What a webhook body may hold, bytes. */
export const WEBHOOK_BYTES = 100 * 1024;

export const ingestDiscordThread = write({
  name: "ingestDiscordThread",
  tool: "ingest_discord_thread",
  path: "/api/webhooks/discord",
  summary: "Opens a session for a chat thread, or adds to the one that is open",
  keys: ["management"],
  maxBody: WEBHOOK_BYTES,
  status: 201,
  idempotent: false,
  query: z.object({
    key: text(1, 256).describe("The management key: this endpoint ignores the Authorization header"),
  }),
  body: z.object({
    channel_id: text(1, 120).describe("A string: numbers lose digits"),
    game: text(1, 120).describe("Game slug or id"),
    thread_id: text(1, 120).optional(),
  }),
  response: z.object({ sessionsCreated: count, messagesIngested: count }),
  errors: ["payload_too_large", "unsupported_media_type"],
});
