/** Tester links: a device says which tester plays on it, with the token the tester was given. */
import * as z from "zod";
import { defineRead, defineWrite } from "./define.ts";
import { orNull, text, unicodeText, unixMs } from "./fields.ts";

const gameId = text(1, 120).describe("Game id or slug");
const deviceId = unicodeText(1, 128);

const claimBody = z.object({
  claimToken: text(1, 120).describe("pt_tt_..., as the tester was given it"),
  gameId,
  deviceId,
});

/** Why a device cannot be linked, as `reason` in the error's body. */
const claimReasons = ["claimed_elsewhere", "device_linked"] as const;
export type ClaimReason = (typeof claimReasons)[number];

const claim = {
  path: "/api/telemetry/claim",
  tag: "telemetry",
  extension: true,
  keys: ["ingest"],
  names: { gameId: "game", claimToken: "claimToken" },
  sample: { deviceId: "{device}" },
  maxBody: 16 * 1024,
  status: 200,
  idempotent: true,
  body: claimBody,
  errors: ["not_found", "conflict", "payload_too_large", "unsupported_media_type"],
} as const;

export const linkTester = defineWrite({
  ...claim,
  name: "linkTester",
  summary: "Links a device to the tester's handle that the token stands for",
  reasons: { conflict: claimReasons },
  response: z.object({
    ok: z.boolean(),
    alreadyLinked: z.boolean(),
    handle: z.string(),
    claimedAt: unixMs.describe("Unix ms"),
  }),
});

export const getCurrentTester = defineRead({
  name: "getCurrentTester",
  tool: null,
  path: "/api/telemetry/tester",
  summary: "The tester a device is linked to",
  tag: "telemetry",
  extension: true,
  names: { gameId: "game" },
  sample: { deviceId: "{device}" },
  keys: ["ingest"],
  query: z.object({ gameId, deviceId }),
  response: z.object({
    linked: z.boolean(),
    handle: orNull(z.string()),
    claimedAt: orNull(unixMs).describe("Unix ms"),
  }),
  errors: ["not_found"],
});

export const unlinkTester = defineWrite({
  ...claim,
  name: "unlinkTester",
  method: "DELETE",
  summary: "Unlinks a device from the tester's handle that the token stands for",
  reasons: { conflict: claimReasons.slice(0, 1) },
  response: z.object({ ok: z.boolean(), handle: z.string() }),
});
