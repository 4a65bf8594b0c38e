/** Playtest batches: sets of playtest keys with their redemptions and invites. */
import * as z from "zod";
import { defineRead } from "./define.ts";
import { count, gameParam, openEnum, orNull, pathText, unixMs } from "./fields.ts";
import { game, gameRef } from "./games.ts";

const batchFields = {
  id: z.string().describe("ID of the batch (`ptb_...`)"),
  name: z.string(),
  distribution_target: z
    .string()
    .describe("How the game is distributed to testers, such as steam, itch or direct"),
  fulfillment_source: z.string().describe("Where the keys come from, such as uploaded, generated or steam"),
  redemption_mode: z.string().describe("How testers redeem a key, such as link"),
  identity_mode: z.string().describe("How testers are identified, such as email"),
  share_token: orNull(z.string()).describe("Token of the public page"),
  key_count: count,
  redeemed_count: count,
  revoked_count: count,
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
  names: { game: "game" },
  params: z.object({ game: gameParam }),
  response: z.object({ game: gameRef, batches: z.array(batch) }),
  errors: ["not_found"],
});

export const getBatch = defineRead({
  name: "getBatch",
  tool: "get_batch",
  path: "/api/v1/batches/{game}/{batchId}",
  summary: "Get a playtest batch with its instructions for testers",
  tag: "batches",
  names: { game: "game", batchId: "batch" },
  params: batchParams,
  response: z.object({ game, batch: batchDetail }),
  errors: ["not_found"],
});

export const playtestKeyStatuses = ["available", "reserved", "redeemed", "revoked", "expired"] as const;
export type PlaytestKeyStatus = (typeof playtestKeyStatuses)[number];

/** The status of a playtest key and its redemption. The key itself is never returned. */
export const playtestKey = z.object({
  id: z.string().describe("ID of the key (`ptk_...`)"),
  status: openEnum(playtestKeyStatuses),
  redeemed_at: orNull(unixMs).describe("Time of redemption, unix ms"),
  redeemed_by_email: orNull(z.string()),
  redeemed_by_handle: orNull(z.string()),
  redemption_country: orNull(z.string()).describe("ISO 3166 alpha-2 code"),
  redemption_user_agent: orNull(z.string()),
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
  names: { game: "game", batchId: "batch" },
  params: batchParams,
  response: z.object({ batch: batchRef, keys: z.array(playtestKey) }),
  errors: ["not_found"],
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
  names: { game: "game", batchId: "batch" },
  params: batchParams,
  response: z.object({ batch: batchRef, invites: z.array(testerInvite) }),
  errors: ["not_found"],
});
