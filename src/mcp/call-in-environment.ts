/** The environment of tools whose call names none: production, or the only other one that the game was played in. */
import { ClientError } from "../client/errors.ts";
import { listOtherEnvironments } from "../client/other-environments.ts";
import type { getTesterArchetypes } from "../contract/archetypes.ts";
import type { compareBuilds } from "../contract/builds.ts";
import type { Endpoint, Output, Page } from "../contract/define.ts";
import type { getBuildDropoff } from "../contract/dropoff.ts";
import type { getEvents } from "../contract/events.ts";
import { DEFAULT_ENV } from "../contract/fields.ts";
import type { getFunnel } from "../contract/funnels.ts";
import type { getHeatmap } from "../contract/heatmaps.ts";
import { listSessions } from "../contract/sessions.ts";
import type { getStatus } from "../contract/status.ts";
import type { getBuildSuggestions } from "../contract/suggestions.ts";
import type { getTrend } from "../contract/trends.ts";
import { type CallContext, type CallOptions, callApi } from "./call-api.ts";

/** Whether a tool chooses the environment if its call names none. */
export const choosesEnvironment = (endpoint: Endpoint): boolean => Object.hasOwn(isEmpty, endpoint.name);

/** Whether an answer contains nothing: neither players nor items. */
export const hasNothing = (endpoint: Endpoint, response: unknown): boolean =>
  isEmpty[endpoint.name]?.(response) ?? (endpoint.paged && (response as Page<unknown>).total === 0);

/** Whether an answer about players rests on none, by the endpoint of the tools that count or compare them. */
const isEmpty: Readonly<Record<string, (answer: unknown) => boolean>> = {
  compareBuilds: (answer) => {
    const { buildA, buildB } = answer as Output<typeof compareBuilds>;
    return buildA.testersInBatch + buildB.testersInBatch === 0;
  },
  getBuildDropoff: (answer) => (answer as Output<typeof getBuildDropoff>).testers === 0,
  getBuildSuggestions: (answer) => (answer as Output<typeof getBuildSuggestions>).suggestions.length === 0,
  getStatus: (answer) => (answer as Output<typeof getStatus>).build === null,
  getTrend: (answer) => (answer as Output<typeof getTrend>).points.length === 0,
  getFunnel: (answer) => (answer as Output<typeof getFunnel>).testers.total === 0,
  getTesterArchetypes: (answer) => (answer as Output<typeof getTesterArchetypes>).testerCount === 0,
  getEvents: (answer) => (answer as Output<typeof getEvents>).sessionCount === 0,
  getHeatmap: (answer) => (answer as Output<typeof getHeatmap>).rooms.length === 0,
};

/** The endpoints of the table that cover all environments unless one is given. */
const COVERS_ALL = new Set(["getEvents", "getHeatmap"]);

/**
 * Calls an endpoint for a tool. Without an environment, an answer that counts or compares players is about production, or about
 * the only other environment. Returns the input that was used. Throws `invalid_input` if there are several others.
 */
export async function callInEnvironment(
  endpoint: Endpoint,
  input: Record<string, unknown>,
  options: CallOptions,
  context: CallContext,
): Promise<{ readonly input: Record<string, unknown>; readonly response: unknown }> {
  const call = async (sent: Record<string, unknown>) => ({
    input: sent,
    response: await callApi(endpoint, sent, options, context),
  });
  const hasNoPlay = isEmpty[endpoint.name];
  if (hasNoPlay === undefined || input.env !== undefined) return await call(input);
  const first = await call(COVERS_ALL.has(endpoint.name) ? { ...input, env: DEFAULT_ENV } : input).catch(
    (error: unknown) => {
      if (error instanceof ClientError && error.code === "not_found") return error;
      throw error;
    },
  );
  if (!(first instanceof ClientError) && !hasNoPlay(first.response)) return first;
  const lister = { listSessions: (list: object) => callApi(listSessions, { ...list }, options, context) };
  const others = await listOtherEnvironments(lister, String(input.game)).catch((error: unknown) => {
    if (error instanceof ClientError) return [];
    throw error;
  });
  const [other] = others;
  if (others.length > 1)
    throw new ClientError(
      "invalid_input",
      `Game ${JSON.stringify(input.game)} has no sessions in ${DEFAULT_ENV}. Set env to one of ${others.join(", ")}, or all`,
    );
  if (other !== undefined) return await call({ ...input, env: other });
  if (first instanceof ClientError) throw first;
  return first;
}
