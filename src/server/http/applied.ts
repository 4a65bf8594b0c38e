/** Repeats extension parameters in the response, so that a client can tell that the service applied them. */
import type { Endpoint } from "../../contract/define.ts";

/** Adds `applied` to the JSON of a response. Returns the same JSON if the request has no extension parameters. */
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
