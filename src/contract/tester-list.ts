/** The testers of a game, and the people who were invited but never played. */
import * as z from "zod";
import { ownValue } from "../shared/own-value.ts";
import { formatTitleAndTag } from "../shared/tags.ts";
import { playtestKeyStatuses } from "./batches.ts";
import { defineRead } from "./define.ts";
import { count, openEnum, orNull, page, text, unixMs } from "./fields.ts";
import { buildFilter, defineResource, envFilter, listQuery } from "./resource.ts";
import { tagTitle } from "./result-fields.ts";

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

const seenTime = z.int().min(0).optional();

export const testerFilters = {
  env: {
    ...envFilter,
    schema: envFilter.schema.describe("Only sessions in this environment (default: all)"),
    flag: ["--env <slug>", "only sessions in this environment (default: all environments combined)"],
  },
  build: {
    ...buildFilter,
    schema: buildFilter.schema.describe("Only testers who played this build (default: all)"),
    flag: ["--build <version>", "testers who played this build version, `latest` or `previous`"],
    suggests: "builds",
  },
  lastSeenBefore: {
    schema: seenTime.describe("Only testers whose last session started before this time, unix ms"),
    flag: ["--last-seen-before <time>", "testers whose last session started before, such as 7d"],
    isTime: true,
    ...{ label: "Last seen before", placeholder: "7d or 2026-03-01" },
  },
  lastSeenAfter: {
    schema: seenTime.describe("Only testers whose last session started at or after this time, unix ms"),
    flag: ["--last-seen-after <time>", "testers whose last session started at or after"],
    isTime: true,
    ...{ label: "Last seen after", placeholder: "7d or 2026-03-01" },
  },
} as const;

export const listTesters = defineRead({
  name: "listTesters",
  tool: "list_testers",
  path: "/api/v1/testers/{game}",
  summary: "List the testers of a game with their play time, builds and friction, last seen first",
  tag: "testers",
  extension: true,
  names: { build: "build" },
  paged: true,
  query: listQuery(testerFilters).refine(isSeenRangeInOrder, {
    path: ["lastSeenAfter"],
    error: "must be before lastSeenBefore",
  }),
  response: page(testerItem),
  reasons: { not_found: ["unknown_environment"] },
});

const formatMore = (shown: readonly string[], total: number) =>
  total > shown.length ? `${shown.join(", ")}, +${total - shown.length}` : shown.join(", ");

export const testers = defineResource({
  name: "testers",
  item: testerItem,
  id: "tester",
  list: listTesters,
  filters: testerFilters,
  columns: {
    tester: {
      // A tester without a device is named by the id of the session.
      ...{ header: "TESTER", kind: "id", shrink: 3, minWidth: 20, tone: "strong" },
      value: ({ handle, tester }) => handle ?? tester,
    },
    sessionCount: { header: "SESSIONS" },
    activeSec: { header: "ACTIVE TIME", kind: "duration" },
    lastSeen: { header: "LAST SEEN", kind: "time" },
    builds: {
      ...{ header: "BUILDS", shrink: 2, groups: true },
      value: ({ builds, buildCount }) => formatMore(builds, buildCount),
    },
    friction: {
      ...{ header: "FRICTION", shrink: 1 },
      value: ({ friction, frictionCount }) =>
        formatMore(
          friction.slice(0, 2).map(({ tag, sessions }) => (sessions > 1 ? `${tag} (${sessions})` : tag)),
          frictionCount,
        ),
    },
    firstSeen: { header: "FIRST SEEN", kind: "time", wide: true },
    deviceId: { header: "DEVICE", wide: true },
    titles: {
      ...{ header: "FRICTION IN WORDS", wide: true },
      value: ({ friction }) => friction.map(formatTitleAndTag).join("; "),
    },
  },
  page: {
    title: "Testers",
    caption: "Testers, last seen first",
    empty: "No testers yet, or none match the filters.",
    opens: "tester",
    sorts: true,
  },
});

/** Why somebody counts as having never played. */
export const neverPlayedReasons = ["not-redeemed", "no-session", "not-linked", "revoked"] as const;
export type NeverPlayedReason = (typeof neverPlayedReasons)[number];

export const neverPlayedItem = z.object({
  keyId: z.string().describe("ID of the playtest key (`ptk_...`)"),
  keyStatus: openEnum(playtestKeyStatuses),
  inviteId: orNull(z.string()).describe("ID of the invite (`tvi_...`)"),
  batch: z.object({ id: z.string(), name: z.string() }),
  email: orNull(z.string()),
  handle: orNull(z.string()).describe("The tester handle that the key belongs to"),
  reason: openEnum(neverPlayedReasons).describe(
    "not-linked: no device is linked to the redeemed key, so it is unknown whether its tester played. " +
      "revoked: the invite was opened, and its key revoked before it was redeemed",
  ),
  sentAt: orNull(unixMs).describe("When the invite was sent, unix ms"),
  openedAt: orNull(unixMs).describe("When the invite was opened, unix ms. Null if tracking is blocked"),
  redeemedAt: orNull(unixMs).describe("Time of redemption, unix ms"),
});
export type NeverPlayedItem = z.output<typeof neverPlayedItem>;

export const neverPlayedFilters = {
  batch: {
    schema: text(1, 120).optional().describe("ID of a playtest batch (default: all)"),
    flag: ["--batch <id>", "with --never-played: only this playtest batch"],
    ...{ label: "Playtest batch (id)", placeholder: "all" },
  },
} as const;

export const listNeverPlayed = defineRead({
  name: "listNeverPlayed",
  tool: "list_never_played",
  path: "/api/v1/never-played/{game}",
  summary: "List the invites and reserved or redeemed playtest keys without a session",
  tag: "testers",
  extension: true,
  names: { batch: "batch" },
  paged: true,
  query: listQuery(neverPlayedFilters),
  response: page(neverPlayedItem),
});

/** The reasons in words. */
const reasonTexts: Readonly<Record<string, string>> = {
  "not-redeemed": "key not redeemed",
  revoked: "key revoked",
  "no-session": "no session",
  "not-linked": "unknown (no device linked)",
};

export const neverPlayed = defineResource({
  name: "never-played",
  item: neverPlayedItem,
  list: listNeverPlayed,
  filters: neverPlayedFilters,
  columns: {
    tester: {
      ...{ header: "TESTER", shrink: 2, tone: "strong" },
      value: ({ handle, email }) => handle ?? email,
    },
    reason: {
      ...{ header: "PLAYED", groups: true },
      value: ({ reason }) => ownValue(reasonTexts, reason) ?? reason,
    },
    "batch.name": { header: "BATCH", shrink: 1, groups: true },
    sentAt: { header: "INVITED", kind: "time" },
    openedAt: { header: "OPENED", kind: "time", wide: true },
    redeemedAt: { header: "REDEEMED", kind: "time" },
    email: { header: "EMAIL", wide: true },
    keyStatus: { header: "KEY STATUS", wide: true },
    keyId: { header: "KEY", wide: true },
    inviteId: { header: "INVITE", wide: true },
    "batch.id": { header: "BATCH ID", wide: true },
  },
  page: {
    title: "Never played",
    caption: "Invites and keys without a session",
    empty: "No invite or key without a session.",
    opens: null,
    sorts: true,
  },
});
