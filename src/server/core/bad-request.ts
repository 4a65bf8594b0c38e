/** Creates the 400 error of an invalid request, which lists all issues. */
import type * as z from "zod";
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
