/** Playtest batches: sets of playtest keys with their redemptions and invites. */
import * as z from "zod";
import { ownValue } from "../shared/own-value.ts";
import { defineRead } from "./define.ts";
import { count, gameParam, openEnum, orNull, pathText, unixMs } from "./fields.ts";
import { game, gameRef } from "./games.ts";
import { defineResource, type Tone } from "./resource.ts";

const batchFields = {
  id: z.string().describe("ID of the batch (`ptb_...`)"),
  name: z.string().describe("Name of the batch"),
  distribution_target: z
    .string()
    .describe("How the game is distributed to testers, such as steam, itch or direct"),
  fulfillment_source: z.string().describe("Where the keys come from, such as uploaded, generated or steam"),
  redemption_mode: z.string().describe("How testers redeem a key, such as link"),
  identity_mode: z.string().describe("How testers are identified, such as email"),
  share_token: orNull(z.string()).describe("Token of the public page"),
  key_count: count.describe("Number of keys"),
  redeemed_count: count.describe("Number of redeemed keys"),
  revoked_count: count.describe("Number of revoked keys"),
  expires_at: orNull(unixMs).describe("When unredeemed keys expire, unix ms"),
  created_at: unixMs.describe("Time of creation, unix ms"),
};

export const batch = z.object(batchFields);
export type Batch = z.output<typeof batch>;

/** A batch with its instructions for testers. */
export const batchDetail = z.object({
  ...batchFields,
  instructions: orNull(z.string()).describe("Instructions for testers, in Markdown"),
});
export type BatchDetail = z.output<typeof batchDetail>;

const batchRef = z.object({ id: z.string(), name: z.string() });
const batchParams = z.object({ game: gameParam, batchId: pathText.describe("ID of the batch") });

export const listBatches = defineRead({
  name: "listBatches",
  tool: "list_batches",
  path: "/api/v1/batches/{game}",
  summary: "List the playtest batches of a game, newest first",
  tag: "batches",
  response: z.object({ game: gameRef, batches: z.array(batch) }),
});

export const getBatch = defineRead({
  name: "getBatch",
  tool: "get_batch",
  path: "/api/v1/batches/{game}/{batchId}",
  summary: "Get a playtest batch with its instructions for testers",
  tag: "batches",
  names: { batchId: "batch" },
  params: batchParams,
  response: z.object({ game, batch: batchDetail }),
});

export const playtestKeyStatuses = ["available", "reserved", "redeemed", "revoked", "expired"] as const;
export type PlaytestKeyStatus = (typeof playtestKeyStatuses)[number];

/** The status of a playtest key and its redemption. The key itself is never returned. */
export const playtestKey = z.object({
  id: z.string().describe("ID of the key (`ptk_...`)"),
  status: openEnum(playtestKeyStatuses).describe(playtestKeyStatuses.join(", ")),
  redeemed_at: orNull(unixMs).describe("Time of redemption, unix ms"),
  redeemed_by_email: orNull(z.string()).describe("Email address that redeemed the key"),
  redeemed_by_handle: orNull(z.string()).describe("Tester handle that redeemed the key"),
  redemption_country: orNull(z.string()).describe("Country of the redemption (ISO 3166 alpha-2)"),
  redemption_user_agent: orNull(z.string()).describe("User agent of the browser that redeemed the key"),
  tester_invite_id: orNull(z.string()).describe("ID of the invite that the key is reserved for"),
  created_at: unixMs.describe("Time of creation, unix ms"),
});
export type PlaytestKey = z.output<typeof playtestKey>;

export const listBatchKeys = defineRead({
  name: "listBatchKeys",
  tool: "list_batch_keys",
  path: "/api/v1/batches/{game}/{batchId}/keys",
  summary: "List the keys of a playtest batch with their status and redemption, oldest first",
  tag: "batches",
  names: { batchId: "batch" },
  params: batchParams,
  response: z.object({ batch: batchRef, keys: z.array(playtestKey) }),
});

export const testerInvite = z.object({
  id: z.string().describe("ID of the invite (`tvi_...`)"),
  email: z.string(),
  personal_note: orNull(z.string()),
  sent_at: orNull(unixMs).describe("Time of sending, unix ms"),
  opened_at: orNull(unixMs).describe("When the invite was opened, unix ms. Null if tracking is blocked"),
  redeemed_at: orNull(unixMs).describe("Time of redemption, unix ms"),
});
export type TesterInvite = z.output<typeof testerInvite>;

export const listBatchInvites = defineRead({
  name: "listBatchInvites",
  tool: "list_batch_invites",
  path: "/api/v1/batches/{game}/{batchId}/invites",
  summary: "List the invites of a playtest batch, most recently sent first",
  tag: "batches",
  names: { batchId: "batch" },
  params: batchParams,
  response: z.object({ batch: batchRef, invites: z.array(testerInvite) }),
});

export const batches = defineResource({
  name: "batches",
  item: batch,
  list: listBatches,
  items: "batches",
  filters: {},
  columns: {
    name: { header: "NAME", tone: "strong", shrink: 2 },
    id: { header: "ID", kind: "id" },
    key_count: { header: "KEYS" },
    redeemed_count: { header: "REDEEMED" },
    revoked_count: { header: "REVOKED" },
    distribution_target: { header: "DISTRIBUTED VIA", wide: true, shrink: 3 },
    expires_at: { header: "EXPIRES", kind: "time" },
    created_at: { header: "CREATED", kind: "time", wide: true },
    fulfillment_source: { header: "KEYS FROM", wide: true },
    redemption_mode: { header: "REDEEMED VIA", wide: true },
    identity_mode: { header: "IDENTIFIED BY", wide: true },
    share_token: { header: "SHARE TOKEN", wide: true },
  },
  command: {
    path: "batches list",
    summary: "List a game's playtest batches, newest first",
    details:
      "A batch is a set of playtest keys that are handed out together. A playtest key is a code that gives one tester " +
      "access to a playtest. It is not an API key.",
    examples: ["batches list --game ember", "batches list --json --jq '.batches[] | {name, key_count}'"],
    empty: "No batches yet.",
  },
  dataset: {
    summary: "One row per playtest batch, newest first",
    help: "sets of playtest keys that are handed out together",
    columns: [
      ...["game", "id", "name", "distribution_target", "fulfillment_source", "redemption_mode"],
      ...["identity_mode", "key_count", "redeemed_count", "revoked_count", "expires_at", "created_at"],
    ],
  },
  page: {
    title: "Batches",
    columns: ["name", "key_count", "redeemed_count", "revoked_count", "expires_at", "created_at"],
    caption: "Playtest batches, newest first",
    empty: "No batches yet. A batch is a set of playtest keys that are handed out together.",
    sorts: true,
  },
});

const batchArgument = {
  name: "<batch>",
  help: "batch id, or its beginning",
  param: "batchId",
  idKind: "ptb",
} as const;

const keyTones: Readonly<Record<string, Tone>> = { redeemed: "good", revoked: "bad", expired: "muted" };

export const playtestKeys = defineResource({
  name: "keys",
  item: playtestKey,
  list: listBatchKeys,
  items: "keys",
  filters: {},
  columns: {
    id: { header: "ID" },
    status: {
      header: "STATUS",
      groups: true,
      tone: ({ status }) => ownValue(keyTones, status) ?? null,
    },
    redeemed_at: { header: "REDEEMED", kind: "time" },
    redeemed_by_email: { header: "EMAIL", groups: true, shrink: 2 },
    redeemed_by_handle: { header: "HANDLE", groups: true, shrink: 3 },
    redemption_country: { header: "COUNTRY", groups: true },
    created_at: { header: "CREATED", kind: "time", wide: true },
    tester_invite_id: { header: "INVITE ID", wide: true },
    redemption_user_agent: { header: "USER AGENT", wide: true, shrink: 1 },
  },
  command: {
    path: "batches keys",
    summary: "List a batch's playtest keys and who redeemed them, without the key values",
    argument: batchArgument,
    examples: ["batches keys ptb_0123 --game ember", "batches keys ptb_0123 --json --jq '.keys[].status'"],
    empty: "No keys yet.",
  },
  dataset: {
    summary: "One row per playtest key, by batch, oldest first. Key values are never exported",
    help: "status of the codes that give testers access (not the codes)",
    columns: [
      "game",
      { name: "batch_id", type: "string", describe: "ID of the batch" },
      ...["id", "status", "redeemed_at", "redeemed_by_email", "redeemed_by_handle"],
      ...["redemption_country", "redemption_user_agent", "tester_invite_id", "created_at"],
    ],
  },
});

export const testerInvites = defineResource({
  name: "invites",
  item: testerInvite,
  list: listBatchInvites,
  items: "invites",
  filters: {},
  columns: {
    email: { header: "EMAIL", tone: "strong", shrink: 1 },
    id: { header: "ID" },
    sent_at: { header: "INVITED", kind: "time" },
    opened_at: { header: "OPENED", kind: "time" },
    redeemed_at: { header: "REDEEMED", kind: "time" },
    personal_note: { header: "NOTE", wide: true, shrink: 2 },
  },
  command: {
    path: "batches invites",
    summary: "List a batch's invites, newest first",
    details:
      "OPENED shows when the tester first opened the invite, if the service was informed of it. It can stay empty even if the tester read " +
      "the invite: a service that sends the email itself cannot notice it if the mail client blocks tracking. A server " +
      "on your machine sends no email; there, `playtest admin batches open-invite` records it. REDEEMED is always set " +
      "when the tester has redeemed the key.",
    argument: batchArgument,
    examples: ["batches invites ptb_0123 --game ember"],
    empty: "No invites yet.",
  },
});
