/** The registration of builds, from CI. It lies outside of `/api/v1`, which a management key reads and nobody changes. */
import * as z from "zod";
import { isBuildWord } from "../shared/build-words.ts";
import { defineWrite } from "./define.ts";
import { GAME_REQUIRED } from "./errors.ts";
import { unixMs } from "./fields.ts";
import { gameFilter } from "./filters.ts";
import { game } from "./games.ts";
import { knownGameVersion } from "./telemetry.ts";

/** A version that can be registered: one that commands cannot take for a word, a file or a flag. Games may send any other. */
export const registeredVersion = knownGameVersion
  .refine(
    (version) => !isBuildWord(version),
    "must not be latest or previous, which name builds by their order",
  )
  .refine((version) => !/^[@-]/.test(version), "must not begin with @ or -")
  .refine((version) => !/\p{Cc}/u.test(version), "must not contain control characters")
  .refine((version) => version.trim() === version, "must not begin or end with whitespace");

export const registerBuild = defineWrite({
  name: "registerBuild",
  path: "/api/ci/builds",
  summary: "Register a build, so that it is the latest one. Repeating a request changes nothing",
  tag: "builds",
  extension: true,
  keys: ["ci"],
  names: { gameId: "game" },
  sample: { gameId: "{game}", version: "{build}" },
  maxBody: 16 * 1024,
  status: 200,
  idempotent: true,
  body: z.object({
    gameId: gameFilter.optional().describe("Game ID or slug. Required unless the key is limited to one game"),
    version: registeredVersion.describe("Build version, as the game sends it in gameVersion"),
  }),
  response: z.object({
    game,
    version: z.string(),
    registeredAt: unixMs.describe("When the build was registered, unix ms"),
    isNew: z.boolean().describe("Whether the build was not registered before"),
    isHidden: z.boolean().describe("Whether the operator has hidden the build, so that it is not considered"),
  }),
  errors: ["not_found", "payload_too_large", "unsupported_media_type"],
  reasons: { bad_request: [GAME_REQUIRED], not_found: ["unknown_game"] },
});
