/** Decodes the path and query of a request with the endpoint's schemas. */
import type * as z from "zod";
import type { Endpoint } from "../../contract/define.ts";
import type { Issue } from "../../contract/errors.ts";
import { badRequest, toIssues } from "../core/http-errors.ts";

interface RawInput {
  readonly params: Readonly<Record<string, string>>;
  readonly query: string;
  /** Parameters of the query that count as absent if they are empty. */
  readonly optional: readonly string[];
}

/** Decodes path and query. Throws `bad_request` with one issue per invalid field. */
export function decodeInput(endpoint: Endpoint, raw: RawInput): Record<string, unknown> {
  const issues: Issue[] = [];
  const params = parseParams(raw.params, issues);
  const query = parseQuery(endpoint.query, raw, issues);
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

/** Returns the known parameters of a query. Adds one issue for each invalid parameter, which is omitted. */
function parseQuery(
  schema: z.ZodObject,
  { query, optional }: RawInput,
  issues: Issue[],
): Record<string, unknown> {
  const values = new Map<string, unknown>();
  const faults = new Map<string, Issue>();
  for (const pair of query === "" ? [] : query.split("&")) {
    const separator = pair.indexOf("=");
    const name = decodeComponent(plusToSpace(separator < 0 ? pair : pair.slice(0, separator)));
    if (name === null || !Object.hasOwn(schema.shape, name) || faults.has(name)) continue;
    const reject = (code: string, message: string) => faults.set(name, { path: [name], code, message });
    const rawValue = separator < 0 ? "" : pair.slice(separator + 1);
    if (rawValue === "" && optional.includes(name)) continue;
    if (values.has(name)) reject("repeated", "must not be repeated");
    else values.set(name, parseValue(schema.shape[name], rawValue, reject));
  }
  for (const name of faults.keys()) values.delete(name);
  issues.push(...faults.values());
  return Object.fromEntries(values);
}

/** Parses a value as an integer if the schema requires one; otherwise, returns the text. */
function parseValue(schema: unknown, raw: string, reject: (code: string, message: string) => void): unknown {
  const text = decodeComponent(plusToSpace(raw));
  if (text === null) reject(MALFORMED.code, MALFORMED.message);
  else if (text === "") reject("empty", "must not be empty");
  else if (!isInteger(schema)) return text;
  else if (/^-?[0-9]+$/.test(text)) return toSafeInteger(text);
  else reject("invalid_type", `must be an integer, not ${JSON.stringify(text)}`);
  return undefined;
}

const plusToSpace = (text: string) => (text.includes("+") ? text.replaceAll("+", " ") : text);

/** Percent-decodes once; returns null if an escape is malformed. */
function decodeComponent(text: string): string | null {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

const MALFORMED = { code: "invalid_encoding", message: "contains a malformed percent escape" };

/** Clamps to the safe integers. Pages and times beyond them are empty anyway. */
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
