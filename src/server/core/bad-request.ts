/** Turns the faults of a request into one 400 that lists them all. */
import type * as z from "zod";
import { HttpError, type Issue } from "../../contract/errors.ts";

/** The 400 of a list of issues: its message names every offending field. */
export function badRequest(issues: readonly Issue[]): Error {
  const message = issues.map((issue) => `${issue.path.join(".") || "body"}: ${issue.message}`).join("; ");
  return new HttpError("bad_request", { message, issues });
}

/** The issues of a schema's error, one a field. */
export function toIssues(error: z.ZodError): Issue[] {
  const byField = new Map<string, Issue>();
  for (const { path, code, message } of error.issues) {
    const missing = code === "invalid_type" && message.endsWith("received undefined");
    const issue = {
      path: path.map((key) => (typeof key === "symbol" ? String(key) : key)),
      code,
      message: missing ? "is required" : message,
    };
    const field = issue.path.join("\0");
    if (!byField.has(field)) byField.set(field, issue);
  }
  return [...byField.values()];
}
