/** The webhooks that events are sent to, without their URLs and secrets, so that failing ones can be found. */
import * as z from "zod";
import { defineRead } from "./define.ts";
import { count, orNull, unixMs } from "./fields.ts";

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
