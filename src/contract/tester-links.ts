/** Tester links: a device links itself to a tester handle with a claim token. */
import * as z from "zod";
import { defineRead, defineWrite } from "./define.ts";
import { GAME_REQUIRED } from "./errors.ts";
import { orNull, text, unicodeText, unixMs } from "./fields.ts";
import { gameFilter } from "./filters.ts";
import { isJsonObject, type RepairedBody, withoutUnset } from "./repair.ts";

const gameId = gameFilter
  .optional()
  .describe("Game ID or slug. Required unless the key is limited to one game");
const deviceId = unicodeText(1, 128).describe("Device id that the game sends in its telemetry");

const claimBody = z.object({
  claimToken: text(1, 120).describe("Claim token of the tester (`pt_tt_...`)"),
  gameId,
  deviceId,
});

/** The values of `reason` in the body of a 409: why a device cannot be linked. */
const claimReasons = ["already_linked_to_another_device", "device_linked"] as const;
export type ClaimReason = (typeof claimReasons)[number];

const lookupReasons = { bad_request: [GAME_REQUIRED], not_found: ["unknown_game", "unknown_claim_token"] };

/** Removes unset fields. */
const repairClaim = (raw: unknown): RepairedBody => ({
  body: isJsonObject(raw) ? withoutUnset(raw) : raw,
  warnings: [],
});

const claim = {
  path: "/api/telemetry/claim",
  tag: "telemetry",
  extension: true,
  keys: ["ingest"],
  names: { gameId: "game", claimToken: "claimToken" },
  sample: { gameId: "{game}", deviceId: "{device}" },
  maxBody: 16 * 1024,
  status: 200,
  idempotent: true,
  body: claimBody,
  repair: repairClaim,
  errors: ["not_found", "conflict", "payload_too_large", "unsupported_media_type", "storage_full"],
} as const;

export const linkTester = defineWrite({
  ...claim,
  name: "linkTester",
  summary: "Link a device to the tester handle of a claim token",
  reasons: { ...lookupReasons, conflict: claimReasons },
  response: z.object({
    ok: z.boolean(),
    alreadyLinked: z.boolean().describe("Whether the device was already linked to the handle"),
    handle: z.string(),
    claimedAt: unixMs.describe("When the device was linked, unix ms"),
  }),
});

export const getCurrentTester = defineRead({
  name: "getCurrentTester",
  tool: null,
  path: "/api/telemetry/tester",
  summary: "Get the tester that a device is linked to",
  tag: "telemetry",
  extension: true,
  names: { gameId: "game" },
  sample: { gameId: "{game}", deviceId: "{device}" },
  keys: ["ingest"],
  query: z.object({ gameId, deviceId }),
  response: z.object({
    linked: z.boolean(),
    handle: orNull(z.string()),
    claimedAt: orNull(unixMs).describe("When the device was linked, unix ms"),
  }),
  reasons: { bad_request: [GAME_REQUIRED], not_found: ["unknown_game"] },
});

export const unlinkTester = defineWrite({
  ...claim,
  name: "unlinkTester",
  method: "DELETE",
  summary: "Unlink a device from the tester handle of a claim token",
  reasons: { ...lookupReasons, conflict: claimReasons.slice(0, 1) },
  response: z.object({
    ok: z.boolean(),
    handle: z.string(),
    unlinked: z.boolean().describe("Whether the device was linked to the handle"),
  }),
});
