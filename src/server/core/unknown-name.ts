/** 404 errors that say what is unknown. The key belongs to one account, so this reveals nothing. */
import { HttpError } from "../../contract/errors.ts";
import type { UnknownFilterReason, UnknownNameReason } from "../../contract/unknown-names.ts";

const nouns: Readonly<Record<UnknownNameReason, string>> = {
  unknown_game: "game",
  unknown_session: "session",
  unknown_form: "feedback form",
  unknown_claim_token: "claim token",
};

/** A 404 for game clients. The message contains `name`, unless it is null because the name is a secret. */
export function unknownName(reason: UnknownNameReason, name: string | null): HttpError {
  const noun = nouns[reason];
  const message =
    name === null
      ? `This key can access no such ${noun}`
      : `This key can access no ${noun} named ${JSON.stringify(name)}`;
  return new HttpError("not_found", { extra: { reason, message } });
}

/** A 404 whose message names what no session has. An empty result would look as if nothing had happened. */
export function unknownFilterError(reason: UnknownFilterReason, message: string): HttpError {
  return new HttpError("not_found", { message, extra: { reason } });
}
