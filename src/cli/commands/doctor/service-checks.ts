/** The checks of the service: one read request and, if there is an ingest key, one more that stores nothing. */
import { type ClientOptions, sendRequest } from "../../../client/client.ts";
import type { Transport } from "../../../client/transport.ts";
import { assignExperiments } from "../../../contract/experiments.ts";
import { KEY_EXPIRES_HEADER } from "../../../contract/fields.ts";
import { listGames } from "../../../contract/games.ts";
import { countRefusals } from "../../../contract/telemetry-tail.ts";
import { listWebhooks } from "../../../contract/webhooks.ts";
import { NOTHING_REFUSED } from "../../../render/tables/refusals.ts";
import { DAY_MS } from "../../../shared/time-units.ts";
import type { StoredKeyKind } from "../../config-file.ts";
import type { Context } from "../../context.ts";
import { CliError, fail } from "../../errors.ts";
import { explainKeyError } from "../../key-error.ts";
import type { Setting } from "../../precedence.ts";
import {
  findBaseUrlError,
  findMissingProfile,
  isLoopback,
  keyVariables,
  requireBaseUrl,
  requireKey,
} from "../../settings.ts";
import { translateError } from "../../translate-error.ts";
import { formatAge } from "../server/pruning-flags.ts";
import { runningServers, type ServerEntry } from "../server/registry.ts";
import { type Check, failFromError, ok, skip, warn, warnFromError } from "./check.ts";

/** The timeout without --timeout, in ms. */
const DEFAULT_TIMEOUT_MS = 5000;
/** The resolution of the Date header, in ms. */
const DATE_RESOLUTION_MS = 1000;
/** A larger difference between the clocks is a warning, in ms. */
const MAX_CLOCK_SKEW_MS = 60_000;

/** A key that expires earlier than this is a warning, in ms. */
const EXPIRY_WARNING_MS = 14 * DAY_MS;

/** The device that the check of the ingest key asks about, and the game if none is known. */
const PROBE_NAME = "playtest-doctor";

interface ProbeResponse {
  readonly status: number;
  readonly body: string;
  readonly date: string | undefined;
  readonly requestId: string | null;
  /** When the key stops working, as ISO 8601; absent if it does not expire. */
  readonly keyExpires: string | undefined;
  /** When the response arrived, in Unix ms. */
  readonly receivedAt: number;
  /** How long the request took. */
  readonly ms: number;
}

/** Checks the service, its clock and the keys. */
export async function checkService(context: Context): Promise<Check[]> {
  const { settings } = context;
  // These are already failures of the settings.
  if (findMissingProfile(settings)) return skipAll("the profile does not exist");
  if (findBaseUrlError(settings)) return skipAll("the base URL is rejected (see settings)");
  try {
    const baseUrl = requireBaseUrl(settings);
    const timeoutMs =
      settings.timeoutMs.source === "--timeout" ? settings.timeoutMs.value : DEFAULT_TIMEOUT_MS;
    return await runServiceChecks(context, {
      ...(await context.clientOptionsWithoutKey(baseUrl)),
      timeoutMs,
    });
  } catch (error) {
    return [failFromError("service", error), ...skipServiceChecks("no request was sent to the service")];
  }
}

/** The checks that need a response of the service. */
const DEPENDENT_CHECKS = ["clock", "management key", "ingest key", "telemetry"];

const skipAll = (reason: string) => [skip("service", `Not checked: ${reason}`), ...skipServiceChecks(reason)];

const skipServiceChecks = (reason: string) =>
  DEPENDENT_CHECKS.map((name) => skip(name, `Not checked: ${reason}`));

async function runServiceChecks(context: Context, options: ClientOptions): Promise<Check[]> {
  const { baseUrl } = options;
  const management = await lookUpKey(context, "management", baseUrl);
  const { result, response } = await sendProbe(listGames.path, management, options, context);
  if (!response || !isPlaytestService(response, result)) {
    const reason = response ? "the base URL is not a playtest service" : "cannot reach the service";
    return [
      failFromError("service", toServiceError(result, response, baseUrl), { baseUrl }),
      ...skipServiceChecks(reason),
    ];
  }
  const canRead = !(management instanceof CliError || result instanceof Error);
  return [
    checkConnection(response, baseUrl),
    checkClock(response),
    checkManagementKey(management, result, await lookUpKey(context, "ingest", baseUrl), response),
    await checkIngestKey(context, options, result),
    ...(canRead ? await checkRefusals(context, options, management) : []),
    ...(canRead ? await checkWebhooks(context, options, management) : []),
    ...(await checkLocalServer(context, options)),
  ];
}

/** What the service refused in the last 24 hours. Services of earlier versions do not count it. */
async function checkRefusals(context: Context, options: ClientOptions, key: KeyLookup): Promise<Check[]> {
  const probe = await sendProbe(countRefusals.path, key, options, context);
  const counted = countRefusals.response.safeParse(probe.result);
  if (!counted.success) return [];
  const { total, reasons } = counted.data;
  if (total === 0) return [ok("telemetry", NOTHING_REFUSED, { refused: 0 })];
  const list = reasons.map(({ reason, count }) => `${reason} ${count}`).join(", ");
  const hint = "Run `playtest telemetry tail --rejected` to see what is refused.";
  return [warn("telemetry", `Refused in the last 24 hours: ${list}`, hint, { refused: total })];
}

/** The webhooks that fail. Services of earlier versions have none. */
async function checkWebhooks(context: Context, options: ClientOptions, key: KeyLookup): Promise<Check[]> {
  const probe = await sendProbe(listWebhooks.path, key, options, context);
  const listed = listWebhooks.response.safeParse(probe.result);
  if (!listed.success || listed.data.webhooks.length === 0) return [];
  const { webhooks } = listed.data;
  const failing = webhooks.filter(({ failingSince }) => failingSince != null);
  const facts = { webhooks: webhooks.length, failing: failing.length };
  if (failing.length === 0) return [ok("webhooks", `None of ${webhooks.length} fails`, facts)];
  const list = failing.map(
    ({ id, host, lastError, pending }) => `${id} to ${host}: ${lastError} (${pending} waiting)`,
  );
  const hint = "Run `playtest admin webhooks test <id>` on the machine of the service to see the response.";
  return [warn("webhooks", `Failing: ${list.join(", ")}`, hint, facts)];
}

/** Whether the database of a server on this machine is damaged, and what it keeps for how long. Those of others are unknown. */
async function checkLocalServer(context: Context, options: ClientOptions): Promise<Check[]> {
  const { origin } = new URL(options.baseUrl);
  const server = (await runningServers(context.io)).find(({ url }) => url === origin);
  if (!server) return [];
  return [...(await checkDatabase(context, options, server)), checkPruning(server)];
}

/** The damage that the server has found. Reading the whole file takes minutes, so it is only read then. */
async function checkDatabase(
  context: Context,
  options: ClientOptions,
  { database }: ServerEntry,
): Promise<Check[]> {
  const key = await lookUpKey(context, "management", options.baseUrl);
  const { response } = await sendProbe("/readyz", key, options, context);
  if (!response?.body.includes('"database-damaged"')) return [];
  const { describeFileDamage } = await import("../server/describe-damage.ts");
  const message = await describeFileDamage(database);
  return [
    failFromError(
      "database",
      fail("check_failed", { message, hint: "Run `playtest server check` to see how to recover." }),
      { database },
    ),
  ];
}

function checkPruning({ keepEventsMs = null, keepSessionsMs = null }: ServerEntry): Check {
  const describe = (age: number | null) => (age === null ? "without a limit" : `for ${formatAge(age)}`);
  const found = `Events are kept ${describe(keepEventsMs)}, and sessions ${describe(keepSessionsMs)}`;
  return ok("retention", found, { keepEventsMs, keepSessionsMs });
}

type KeyLookup = Setting<string> | CliError;

/** The key of a kind, or the error if there is none. */
async function lookUpKey(
  { settings, io }: Context,
  kind: StoredKeyKind,
  baseUrl: string,
): Promise<KeyLookup> {
  try {
    return await requireKey(settings, io, kind, baseUrl);
  } catch (error) {
    if (error instanceof CliError) return error;
    throw error;
  }
}

/** Sends one GET request without retries. The result is the JSON of the response, or the error. */
async function sendProbe(
  path: string,
  key: KeyLookup,
  options: ClientOptions,
  { io }: Context,
): Promise<{ result: unknown; response: ProbeResponse | null }> {
  let response: ProbeResponse | null = null;
  const transport: Transport = async (request) => {
    const started = performance.now();
    const { status, headers, body } = await options.transport(request);
    const ms = Math.round(performance.now() - started);
    const requestId = headers["x-request-id"] ?? null;
    const keyExpires = headers[KEY_EXPIRES_HEADER];
    response = { status, body, date: headers.date, requestId, keyExpires, receivedAt: io.now(), ms };
    return { status, headers, body };
  };
  const keyToSend = key instanceof CliError ? null : key.value;
  try {
    const { json } = await sendRequest("GET", path, undefined, { ...options, transport, key: keyToSend });
    return { result: json, response };
  } catch (error) {
    io.signal.throwIfAborted();
    return { result: translateError(error) ?? error, response };
  }
}

/** Whether the response is that of a playtest service, even if it rejected the key. */
function isPlaytestService({ status, body }: ProbeResponse, result: unknown): boolean {
  if (!(result instanceof Error)) return listGames.response.safeParse(result).success;
  if (status !== 401 && status !== 403 && status !== 429) return false;
  try {
    return typeof (JSON.parse(body) as { error?: unknown }).error === "string";
  } catch {
    return false;
  }
}

function toServiceError(result: unknown, response: ProbeResponse | null, baseUrl: string): unknown {
  const specific = ["internal", "unavailable", "misdirected", "contract"];
  if (!response || (result instanceof CliError && specific.includes(result.code))) return result;
  const message = `${baseUrl} responds (HTTP ${response.status}), but is not a playtest service`;
  return fail("contract", { message });
}

function checkConnection({ status, requestId, ms }: ProbeResponse, baseUrl: string): Check {
  const { protocol, hostname } = new URL(baseUrl);
  const tls = protocol === "https:";
  const facts = { baseUrl, tls, ms, status, requestId };
  const security = tls ? "TLS, trusted certificate" : isLoopback(hostname) ? "this machine" : "unencrypted";
  const found = `${baseUrl} responded in ${ms} ms (${security}; request ${requestId ?? "without an id"})`;
  if (tls || isLoopback(hostname)) return ok("service", found, facts);
  return warn("service", found, "Use https, so that others cannot read the key.", facts);
}

/**
 * Compares the clocks. Assumes that the Date header was written halfway through the request. The header has whole seconds, so
 * the clock of the service is half a second later on average, and a difference of up to a second cannot be measured.
 */
function checkClock({ date, receivedAt, ms }: ProbeResponse): Check {
  const name = "clock";
  const serviceTime = Date.parse(date ?? "");
  if (Number.isNaN(serviceTime)) return skip(name, "Not checked: the response has no Date header");
  const skewMs = Math.round(receivedAt - ms / 2 - (serviceTime + DATE_RESOLUTION_MS / 2));
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  const found =
    Math.abs(skewMs) <= DATE_RESOLUTION_MS
      ? "In sync with the service (within 1 s)"
      : `The clock of this machine is ${seconds} s ${skewMs < 0 ? "behind" : "ahead of"} the service`;
  if (Math.abs(skewMs) <= MAX_CLOCK_SKEW_MS) return ok(name, found, { skewMs });
  const hint =
    "Correct the clock that is wrong, here or at the service. Ages such as --from 7d depend on both.";
  return warn(name, found, hint, { skewMs });
}

function checkManagementKey(
  key: KeyLookup,
  result: unknown,
  ingest: KeyLookup,
  response: ProbeResponse,
): Check {
  const name = "management key";
  // Users who only send telemetry do not need a management key.
  if (key instanceof CliError)
    return ingest instanceof CliError ? failFromError(name, key) : warnFromError(name, key);
  const facts = { source: key.source };
  if (result instanceof CliError) return reportRejectedKey(name, "management", result, key.source);
  const { length } = listGames.response.parse(result).games;
  const found = `Accepted (from ${key.source}). It can access ${length} ${length === 1 ? "game" : "games"}`;
  return withExpiry(name, found, { ...facts, games: length }, response);
}

/**
 * Asks for the experiments of a device, which stores nothing. The game is the first in the response that the management key
 * got. Without such a game, or with a key that is limited to another game, the service answers 404, but only after it has
 * accepted the key.
 */
async function checkIngestKey(context: Context, options: ClientOptions, games: unknown): Promise<Check> {
  const name = "ingest key";
  const { settings, io } = context;
  const key = await lookUpKey(context, "ingest", options.baseUrl);
  if (key instanceof CliError) {
    const stored = io.env[keyVariables.ingest] || settings.stored.keys?.ingest;
    return stored ? warnFromError(name, key) : skip(name, "Not set. You only need it to send telemetry");
  }
  const gameId = listGames.response.safeParse(games).data?.games[0]?.slug ?? PROBE_NAME;
  const path = `${assignExperiments.path}?${new URLSearchParams({ gameId, deviceId: PROBE_NAME })}`;
  const { result, response } = await sendProbe(path, key, options, context);
  const facts = { source: key.source };
  if (!(result instanceof CliError) || result.code === "not_found")
    return withExpiry(name, `Accepted (from ${key.source}). It can send telemetry`, facts, response);
  return reportRejectedKey(name, "ingest", result, key.source);
}

/** A key that works: a warning if it expires soon. */
function withExpiry(name: string, found: string, facts: object, response: ProbeResponse | null): Check {
  const expiresAt = Date.parse(response?.keyExpires ?? "");
  if (response === null || Number.isNaN(expiresAt)) return ok(name, found, { ...facts });
  const expires = new Date(expiresAt).toISOString();
  const message = `${found}. It expires at ${expires}`;
  if (expiresAt - response.receivedAt > EXPIRY_WARNING_MS) return ok(name, message, { ...facts, expiresAt });
  const hint = "Create a new key with `playtest admin keys create --expires` before this one expires.";
  return warn(name, message, hint, { ...facts, expiresAt });
}

function reportRejectedKey(name: string, kind: StoredKeyKind, error: CliError, source: string): Check {
  const facts = { source };
  if (error.code === "rate_limited") return warnFromError(name, error, facts);
  return failFromError(name, explainKeyError(error, kind, source), facts);
}
