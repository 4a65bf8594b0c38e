/** 404 errors for game clients, which say what is unknown. An ingest key belongs to one account, so this reveals nothing. */
import { HttpError } from "../../contract/errors.ts";
import type { UnknownNameReason } from "../../contract/unknown-names.ts";

const nouns: Readonly<Record<UnknownNameReason, string>> = {
  unknown_game: "game",
  unknown_session: "session",
  unknown_form: "feedback form",
  unknown_claim_token: "claim token",
};

/** Creates a 404. The message contains `name`, unless it is null because the name is a secret. */
export function unknownName(reason: UnknownNameReason, name: string | null): HttpError {
  const noun = nouns[reason];
  const message =
    name === null
      ? `This key can access no such ${noun}`
      : `This key can access no ${noun} named ${JSON.stringify(name)}`;
  return new HttpError("not_found", { extra: { reason, message } });
}
