/** Repeats in an answer the parameters that the API document does not list, so that a client sees they were applied. */
import type { Endpoint } from "../../contract/define.ts";

/** The JSON of an answer with `applied`; the same text where the request gave no such parameter. */
export function withApplied(
  json: string,
  { extensions }: Pick<Endpoint, "extensions">,
  input: Readonly<Record<string, unknown>>,
): string {
  const given = extensions.filter((name) => input[name] !== undefined);
  if (given.length === 0) return json;
  const applied = JSON.stringify(Object.fromEntries(given.map((name) => [name, input[name]])));
  const fields = json.slice(0, -1);
  return `${fields}${fields === "{" ? "" : ","}"applied":${applied}}`;
}
