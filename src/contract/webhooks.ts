/** Webhooks: Discord threads that become sessions. */
import * as z from "zod";
import { defineRead, defineWrite } from "./define.ts";
import { count, orNull, text, unicodeText, unixMs } from "./fields.ts";

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
  errors: ["payload_too_large", "unsupported_media_type", "storage_full"],
});

export const listWebhooks = defineRead({
  name: "listWebhooks",
  tool: null,
  path: "/api/v1/webhooks",
  summary: "List the webhooks of the account, with what waits for them and why they fail",
  tag: "webhooks",
  extension: true,
  response: z.object({
    webhooks: z
      .array(
        z.object({
          id: z.string(),
          host: z.string().describe("Host of the URL. The rest of it may be a secret"),
          events: z.array(z.string()).describe("Names of the events that are sent"),
          gameId: orNull(z.string()).describe("Only events of this game. Null for all games of the account"),
          pending: count.describe("Number of events that wait to be sent"),
          delivered: count.describe("Number of events that were accepted"),
          dropped: count.describe("Number of events that were given up"),
          failingSince: orNull(unixMs).describe("Time since which every attempt failed, unix ms"),
          lastError: orNull(z.string()).describe("Why the last attempt failed"),
        }),
      )
      .describe("Oldest first"),
  }),
});
