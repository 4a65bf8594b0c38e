/** The testers of a game, and the people who were invited but never played. */
import * as z from "zod";
import { playtestKeyStatuses } from "./batches.ts";
import { defineRead } from "./define.ts";
import { count, gameParam, openEnum, orNull, page, text, unixMs } from "./fields.ts";
import { buildFilter, envFilter, pageQuery } from "./filters.ts";
import { tagTitle } from "./tag-titles.ts";

/** The maximum number of builds, and of friction tags, that a list shows for each tester. */
export const MAX_LISTED_BUILDS = 10;
export const MAX_LISTED_TAGS = 5;

export const testerItem = z.object({
  tester: z.string().describe("The device id, or the id of a session without a device"),
  handle: orNull(z.string()),
  deviceId: orNull(z.string()),
  sessionCount: count,
  activeSec: count.describe("Active time of all sessions, in seconds"),
  firstSeen: unixMs.describe("Time of the first session, unix ms"),
  lastSeen: unixMs.describe("Time of the last session, unix ms"),
  builds: z.array(z.string()).describe(`The last one first; at most ${MAX_LISTED_BUILDS}`),
  buildCount: count.describe("Number of builds"),
  friction: z
    .array(z.object({ tag: z.string(), title: tagTitle, sessions: count.describe("Sessions with the tag") }))
    .describe(`The most frequent tags; at most ${MAX_LISTED_TAGS}`),
  frictionCount: count.describe("Number of friction tags"),
});
export type TesterItem = z.output<typeof testerItem>;

/** Whether any time can be in the range. Its end is exclusive. */
function isSeenRangeInOrder({
  lastSeenAfter,
  lastSeenBefore,
}: {
  readonly lastSeenAfter?: number | undefined;
  readonly lastSeenBefore?: number | undefined;
}): boolean {
  return lastSeenAfter === undefined || lastSeenBefore === undefined || lastSeenAfter < lastSeenBefore;
}

export const listTesters = defineRead({
  name: "listTesters",
  tool: "list_testers",
  path: "/api/v1/testers/{game}",
  summary: "List the testers of a game with their play time, builds and friction, last seen first",
  tag: "testers",
  extension: true,
  names: { game: "game", build: "build" },
  paged: true,
  params: z.object({ game: gameParam }),
  query: z
    .object({
      env: envFilter.optional().describe("Only sessions in this environment (default: all)"),
      build: buildFilter.optional().describe("Only testers who played this build (default: all)"),
      lastSeenBefore: z
        .int()
        .min(0)
        .optional()
        .describe("Only testers whose last session started before this time, unix ms"),
      lastSeenAfter: z
        .int()
        .min(0)
        .optional()
        .describe("Only testers whose last session started at or after this time, unix ms"),
      ...pageQuery,
    })
    .refine(isSeenRangeInOrder, {
      path: ["lastSeenAfter"],
      error: "must be before lastSeenBefore",
    }),
  response: page(testerItem),
  errors: ["not_found"],
  reasons: { not_found: ["unknown_environment"] },
});

/** Why somebody counts as having never played. */
export const neverPlayedReasons = ["not-redeemed", "no-session", "not-linked"] as const;
export type NeverPlayedReason = (typeof neverPlayedReasons)[number];

export const neverPlayedItem = z.object({
  keyId: z.string().describe("ID of the playtest key (`ptk_...`)"),
  keyStatus: openEnum(playtestKeyStatuses),
  inviteId: orNull(z.string()).describe("ID of the invite (`tvi_...`)"),
  batch: z.object({ id: z.string(), name: z.string() }),
  email: orNull(z.string()),
  handle: orNull(z.string()).describe("The tester handle that the key belongs to"),
  reason: openEnum(neverPlayedReasons).describe(
    "not-linked: no device is linked to the redeemed key, so it is unknown whether its tester played",
  ),
  sentAt: orNull(unixMs).describe("When the invite was sent, unix ms"),
  openedAt: orNull(unixMs).describe("When the invite was opened, unix ms. Null if tracking is blocked"),
  redeemedAt: orNull(unixMs).describe("Time of redemption, unix ms"),
});
export type NeverPlayedItem = z.output<typeof neverPlayedItem>;

export const listNeverPlayed = defineRead({
  name: "listNeverPlayed",
  tool: "list_never_played",
  path: "/api/v1/never-played/{game}",
  summary: "List the invites and reserved or redeemed playtest keys without a session",
  tag: "testers",
  extension: true,
  names: { game: "game", batch: "batch" },
  paged: true,
  params: z.object({ game: gameParam }),
  query: z.object({
    batch: text(1, 120).optional().describe("ID of a playtest batch (default: all)"),
    ...pageQuery,
  }),
  response: page(neverPlayedItem),
  errors: ["not_found"],
});
