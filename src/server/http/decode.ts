/** Decodes a request by its endpoint's schemas: every fault is found before any is answered. */
import type * as z from "zod";
import type { Endpoint } from "../../contract/define.ts";
import type { Issue } from "../../contract/errors.ts";
import { badRequest, toIssues } from "../core/bad-request.ts";

/** Decodes path and query. Throws `bad_request` with one issue for each offending field. */
export function decodeInput(
  endpoint: Endpoint,
  rawParams: Readonly<Record<string, string>>,
  rawQuery: string,
): Record<string, unknown> {
  const issues: Issue[] = [];
  const params = parseParams(rawParams, issues);
  const query = parseQuery(endpoint.query, rawQuery, issues);
  const refused = new Set(issues.map((issue) => String(issue.path[0])));
  for (const [schema, values] of [
    [endpoint.params, params],
    [endpoint.query, query],
  ] as const) {
    const result = schema.safeParse(values);
    if (!result.success)
      issues.push(...toIssues(result.error).filter((i) => !refused.has(String(i.path[0]))));
  }
  if (issues.length > 0) throw badRequest(issues);
  return { ...params, ...query };
}

function parseParams(raw: Readonly<Record<string, string>>, issues: Issue[]): Record<string, string> {
  const params: Record<string, string> = {};
  for (const [name, value] of Object.entries(raw)) {
    const decoded = decodeComponent(value);
    if (decoded === null) issues.push({ path: [name], ...MALFORMED });
    else params[name] = decoded;
  }
  return params;
}

/** The known parameters of a query; each that cannot be read is told once and left out. */
function parseQuery(schema: z.ZodObject, raw: string, issues: Issue[]): Record<string, unknown> {
  const values = new Map<string, unknown>();
  const faults = new Map<string, Issue>();
  for (const pair of raw === "" ? [] : raw.split("&")) {
    const cut = pair.indexOf("=");
    const name = decodeComponent(plusToSpace(cut < 0 ? pair : pair.slice(0, cut)));
    if (name === null || !Object.hasOwn(schema.shape, name) || faults.has(name)) continue;
    const refuse = (code: string, message: string) => faults.set(name, { path: [name], code, message });
    if (values.has(name)) refuse("repeated", "must be given once");
    else values.set(name, readValue(schema.shape[name], cut < 0 ? "" : pair.slice(cut + 1), refuse));
  }
  for (const name of faults.keys()) values.delete(name);
  issues.push(...faults.values());
  return Object.fromEntries(values);
}

/** A parameter's value: an integer where its schema wants one, else text. */
function readValue(schema: unknown, raw: string, refuse: (code: string, message: string) => void): unknown {
  const text = decodeComponent(plusToSpace(raw));
  if (text === null) refuse(MALFORMED.code, MALFORMED.message);
  else if (text === "") refuse("empty", "must not be empty");
  else if (!isInteger(schema)) return text;
  else if (/^-?[0-9]+$/.test(text)) return toSafeInteger(text);
  else refuse("invalid_type", "must be an integer");
  return undefined;
}

const plusToSpace = (text: string) => (text.includes("+") ? text.replaceAll("+", " ") : text);

/** Percent-decodes once; null where an escape is malformed. */
function decodeComponent(text: string): string | null {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

const MALFORMED = { code: "invalid_encoding", message: "has a malformed percent escape" };

/** Beyond what a double counts exactly, the nearest such number: a page or a time that far is empty all the same. */
function toSafeInteger(digits: string): number {
  return Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, Number(digits)));
}

function isInteger(schema: unknown): boolean {
  let inner = schema as z.ZodType;
  while (inner.def.type === "optional" || inner.def.type === "nullable") {
    inner = (inner as z.ZodOptional).unwrap() as z.ZodType;
  }
  return inner.def.type === "number";
}
