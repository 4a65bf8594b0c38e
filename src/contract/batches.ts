/** Playtest batches: keys given out to testers, how they were redeemed, and the invites they went out with. */
import * as z from "zod";
import { defineRead } from "./define.ts";
import { count, gameParam, openEnum, orNull, pathText, unixMs } from "./fields.ts";
import { game, gameRef } from "./games.ts";

const batchFields = {
  id: z.string().describe("ptb_..."),
  name: z.string(),
  distribution_target: z.string(),
  fulfillment_source: z.string(),
  redemption_mode: z.string(),
  identity_mode: z.string(),
  share_token: orNull(z.string()),
  key_count: count,
  redeemed_count: count,
  revoked_count: count,
  expires_at: orNull(unixMs).describe("Unix ms"),
  created_at: unixMs.describe("Unix ms"),
};

export const batch = z.object(batchFields);
export type Batch = z.output<typeof batch>;

/** A batch with the instructions its testers get. */
export const batchDetail = z.object({
  ...batchFields,
  instructions: orNull(z.string()).describe("Markdown"),
});
export type BatchDetail = z.output<typeof batchDetail>;

const batchRef = z.object({ id: z.string(), name: z.string() });
const batchParams = z.object({ game: gameParam, batchId: pathText.describe("Batch id") });

export const listBatches = defineRead({
  name: "listBatches",
  tool: "list_batches",
  path: "/api/v1/batches/{game}",
  summary: "A game's playtest batches, newest first",
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
  summary: "One batch, with its instructions",
  tag: "batches",
  names: { game: "game", batchId: "batch" },
  params: batchParams,
  response: z.object({ game, batch: batchDetail }),
  errors: ["not_found"],
});

export const playtestKeyStatuses = ["available", "reserved", "redeemed", "revoked", "expired"] as const;
export type PlaytestKeyStatus = (typeof playtestKeyStatuses)[number];

/** A key's life; the key itself is never shown. */
export const playtestKey = z.object({
  id: z.string().describe("ptk_..."),
  status: openEnum(playtestKeyStatuses),
  redeemed_at: orNull(unixMs).describe("Unix ms"),
  redeemed_by_email: orNull(z.string()),
  redeemed_by_handle: orNull(z.string()),
  redemption_country: orNull(z.string()).describe("ISO 3166 alpha-2"),
  redemption_user_agent: orNull(z.string()),
  tester_invite_id: orNull(z.string()),
  created_at: unixMs.describe("Unix ms"),
});
export type PlaytestKey = z.output<typeof playtestKey>;

export const listBatchKeys = defineRead({
  name: "listBatchKeys",
  tool: "list_batch_keys",
  path: "/api/v1/batches/{game}/{batchId}/keys",
  summary: "A batch's keys and how each was redeemed, oldest first; never the keys themselves",
  tag: "batches",
  names: { game: "game", batchId: "batch" },
  params: batchParams,
  response: z.object({ batch: batchRef, keys: z.array(playtestKey) }),
  errors: ["not_found"],
});

/** One tester's invite. */
export const testerInvite = z.object({
  id: z.string().describe("tvi_..."),
  email: z.string(),
  personal_note: orNull(z.string()),
  sent_at: orNull(unixMs).describe("Unix ms"),
  opened_at: orNull(unixMs).describe("Unix ms; best effort, for tracking may be blocked"),
  redeemed_at: orNull(unixMs).describe("Unix ms; definitive"),
});
export type TesterInvite = z.output<typeof testerInvite>;

export const listBatchInvites = defineRead({
  name: "listBatchInvites",
  tool: "list_batch_invites",
  path: "/api/v1/batches/{game}/{batchId}/invites",
  summary: "A batch's invites, the last sent first",
  tag: "batches",
  names: { game: "game", batchId: "batch" },
  params: batchParams,
  response: z.object({ batch: batchRef, invites: z.array(testerInvite) }),
  errors: ["not_found"],
});
