/** Repeats extension parameters in the response, to confirm to clients that the service applied them. */
import type { Endpoint } from "../../contract/define.ts";

/** Adds `applied` to the JSON of a response. Returns the same JSON if the request has no extension parameters. */
export function withApplied(
  json: string,
  { extensions }: Pick<Endpoint, "extensions">,
  input: Readonly<Record<string, unknown>>,
): string {
  const requested = extensions.filter((name) => input[name] !== undefined);
  if (requested.length === 0) return json;
  const applied = JSON.stringify(Object.fromEntries(requested.map((name) => [name, input[name]])));
  const fields = json.slice(0, -1);
  return `${fields}${fields === "{" ? "" : ","}"applied":${applied}}`;
}
