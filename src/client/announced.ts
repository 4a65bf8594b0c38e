/** Which extensions a service announces. */
import { parseExtensions } from "../contract/announcement.ts";
import { listGames } from "../contract/games.ts";
import { type ClientOptions, callEndpoint } from "./client.ts";

/**
 * Whether a service announces an extension: an endpoint such as `getBuildFacts`, or a query parameter such as
 * `listInsights?room`. Reads the list of games unless this run has read it from the service. Throws ClientError if that fails.
 */
export async function announces(options: ClientOptions, name: string): Promise<boolean> {
  const announced = options.announced ?? { header: null };
  if (announced.header === null) await callEndpoint(listGames, {}, { ...options, announced });
  return parseExtensions(announced.header).has(name);
}
