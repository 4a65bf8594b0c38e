/** Messages of schema errors for people, in place of zod's defaults. They apply to every schema of the program. */
import * as z from "zod";

const typeMessages: Readonly<Record<string, string>> = {
  string: "must be a string",
  int: "must be an integer",
  number: "must be a number",
  boolean: "must be true or false",
  array: "must be an array",
  object: "must be an object",
  record: "must be an object",
};

/** Returns `undefined` to use zod's message. Schemas with a message of their own never get here. */
function chooseMessage(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === "invalid_type") {
    return issue.input === undefined ? "is required" : typeMessages[issue.expected];
  }
  if (issue.code === "invalid_value") {
    if (issue.input === undefined) return "is required";
    return `must be ${issue.values.length > 1 ? "one of " : ""}${issue.values.map(String).join(", ")}`;
  }
  if (issue.code === "too_small") return describeMinimum(issue);
  return issue.code === "too_big" ? describeMaximum(issue) : undefined;
}

function describeMinimum({ origin, minimum, inclusive }: z.core.$ZodRawIssue<z.core.$ZodIssueTooSmall>) {
  if (origin === "string")
    return minimum === 1 ? "must not be empty" : `must be at least ${minimum} characters`;
  if (origin === "array") return minimum === 1 ? "must not be empty" : `must have at least ${minimum} items`;
  return origin === "number" || origin === "int"
    ? `must be ${inclusive ? "at least" : "greater than"} ${minimum}`
    : undefined;
}

function describeMaximum({ origin, maximum, inclusive }: z.core.$ZodRawIssue<z.core.$ZodIssueTooBig>) {
  if (origin === "string") return `must be at most ${maximum} characters`;
  if (origin === "array") return `must have at most ${maximum} items`;
  return origin === "number" || origin === "int"
    ? `must be ${inclusive ? "at most" : "less than"} ${maximum}`
    : undefined;
}

z.config({ customError: chooseMessage });
