/** The values of `reason` in a 404 for game clients: what is unknown. */
export const unknownNameReasons = [
  "unknown_game",
  "unknown_session",
  "unknown_form",
  "unknown_claim_token",
] as const;
export type UnknownNameReason = (typeof unknownNameReasons)[number];

/** The value of `reason` in a 409 for game clients: the session or its tester was erased. */
export const ERASED = "erased";

/** The value of `reason` in a 400: the request names no game, and the key is not limited to one. */
export const GAME_REQUIRED = "game_required";

/** The values of `reason` in a 404 for a filter that no session matches: what the game does not have. */
export const unknownFilterReasons = [
  "unknown_event",
  "unknown_room",
  "unknown_tag",
  "unknown_tester",
  "unknown_environment",
] as const;
export type UnknownFilterReason = (typeof unknownFilterReasons)[number];
