/** Creates the errors of requests: 400 with all issues, and 404 that says what is unknown. */
import type * as z from "zod";
import type { UnknownFilterReason, UnknownNameReason } from "../../contract/errors.ts";
import { describeIssue, HttpError, type Issue } from "../../contract/errors.ts";

/** Creates a 400 error whose message names all invalid fields. */
export function badRequest(issues: readonly Issue[]): HttpError {
  const message = issues
    .map(({ path, message: reason }) => describeIssue(path.join(".") || "body", reason))
    .join("; ");
  return new HttpError("bad_request", { message, issues });
}

/** Converts the error of a schema to issues: the first one of each field. */
export function toIssues(error: z.ZodError): Issue[] {
  const byField = new Map<string, Issue>();
  for (const { path, code, message } of error.issues) {
    const issue = { path: path.map((key) => (typeof key === "symbol" ? String(key) : key)), code, message };
    const field = issue.path.join("\0");
    if (!byField.has(field)) byField.set(field, issue);
  }
  return [...byField.values()];
}

const nouns: Readonly<Record<UnknownNameReason, string>> = {
  unknown_game: "game",
  unknown_session: "session",
  unknown_form: "feedback form",
  unknown_claim_token: "claim token",
  unknown_receiver: "receiver",
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
