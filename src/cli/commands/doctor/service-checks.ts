/** The checks that ask the service: one read and, where an ingest key is set, one write that stores nothing. */
import { type ClientOptions, sendRequest } from "../../../client/client.ts";
import type { Transport } from "../../../client/transport.ts";
import type { ApiKeyKind } from "../../../contract/define.ts";
import { listGames } from "../../../contract/games.ts";
import type { Context } from "../../context.ts";
import { CliError, fail } from "../../errors.ts";
import { explainKeyError } from "../../key-error.ts";
import type { Setting } from "../../precedence.ts";
import { isLoopback, keyVariables, requireBaseUrl, requireKey } from "../../settings.ts";
import { translateError } from "../../translate-error.ts";
import { type Check, failFromError, ok, skip, warn, warnFromError } from "./check.ts";

/** The deadline unless --timeout gives one, ms. */
const DEFAULT_TIMEOUT_MS = 5000;
/** Clocks further apart are told of, ms. */
const MAX_CLOCK_SKEW_MS = 60_000;

/** What an answer told besides its body. */
interface ProbeResponse {
  readonly status: number;
  readonly body: string;
  readonly date: string | undefined;
  readonly requestId: string | null;
  /** When it came, unix ms, and how long it took, ms. */
  readonly at: number;
  readonly ms: number;
}

/** The service, its clock, and the keys that are set. */
export async function checkService(context: Context): Promise<Check[]> {
  const { settings } = context;
  try {
    const baseUrl = requireBaseUrl(settings);
    const timeoutMs =
      settings.timeoutMs.source === "--timeout" ? settings.timeoutMs.value : DEFAULT_TIMEOUT_MS;
    return await runServiceChecks(context, {
      ...(await context.clientOptionsWithoutKey(baseUrl)),
      timeoutMs,
    });
  } catch (error) {
    return [failFromError("service", error), ...skipServiceChecks("the service was not asked")];
  }
}

const skipServiceChecks = (why: string) =>
  ["clock", "management key", "ingest key"].map((name) => skip(name, `Not checked: ${why}`));

async function runServiceChecks(context: Context, options: ClientOptions): Promise<Check[]> {
  const { baseUrl } = options;
  const management = await lookUpKey(context, "management", baseUrl);
  const { answer, heard } = await sendProbe("GET", listGames.path, undefined, management, options, context);
  if (!heard || !isPlaytestService(heard, answer)) {
    const why = heard ? "what answers is no playtest service" : "the service was not reached";
    return [
      failFromError("service", toServiceError(answer, heard, baseUrl), { baseUrl }),
      ...skipServiceChecks(why),
    ];
  }
  return [
    checkConnection(heard, baseUrl),
    checkClock(heard),
    checkManagementKey(management, answer, await lookUpKey(context, "ingest", baseUrl)),
    await checkIngestKey(context, options),
  ];
}

type KeyLookup = Setting<string> | CliError;

/** The key of a kind, or why there is none. */
async function lookUpKey({ settings, io }: Context, kind: ApiKeyKind, baseUrl: string): Promise<KeyLookup> {
  try {
    return await requireKey(settings, io, kind, baseUrl);
  } catch (error) {
    if (error instanceof CliError) return error;
    throw error;
  }
}

/** One exchange without retries: its JSON or its error, and what the answer told besides. */
async function sendProbe(
  method: string,
  path: string,
  body: unknown,
  key: KeyLookup,
  options: ClientOptions,
  { io }: Context,
): Promise<{ answer: unknown; heard: ProbeResponse | null }> {
  let heard: ProbeResponse | null = null;
  const transport: Transport = async (request) => {
    const started = performance.now();
    const { status, headers, body } = await options.transport(request);
    const ms = Math.round(performance.now() - started);
    const requestId = headers["x-request-id"] ?? null;
    heard = { status, body, date: headers.date, requestId, at: io.now(), ms };
    return { status, headers, body };
  };
  const sent = key instanceof CliError ? null : key.value;
  try {
    const { json } = await sendRequest(method, path, body, { ...options, transport, key: sent });
    return { answer: json, heard };
  } catch (error) {
    io.signal.throwIfAborted();
    return { answer: translateError(error) ?? error, heard };
  }
}

/** Whether what answered is a playtest service, whatever it thinks of the key. */
function isPlaytestService({ status, body }: ProbeResponse, answer: unknown): boolean {
  if (!(answer instanceof Error)) return listGames.response.safeParse(answer).success;
  if (status !== 401 && status !== 403 && status !== 429) return false;
  try {
    return typeof (JSON.parse(body) as { error?: unknown }).error === "string";
  } catch {
    return false;
  }
}

function toServiceError(answer: unknown, heard: ProbeResponse | null, baseUrl: string): unknown {
  const telling = ["internal", "unavailable", "misdirected", "contract"];
  if (!heard || (answer instanceof CliError && telling.includes(answer.code))) return answer;
  const message = `${baseUrl} answers (HTTP ${heard.status}), but not as a playtest service does`;
  return fail("contract", { message });
}

function checkConnection({ status, requestId, ms }: ProbeResponse, baseUrl: string): Check {
  const { protocol, hostname } = new URL(baseUrl);
  const tls = protocol === "https:";
  const facts = { baseUrl, tls, ms, status, requestId };
  const way = tls ? "TLS, its certificate trusted" : isLoopback(hostname) ? "this machine" : "unencrypted";
  const found = `${baseUrl} answered in ${ms} ms (${way}; request ${requestId ?? "without an id"})`;
  if (tls || isLoopback(hostname)) return ok("service", found, facts);
  return warn("service", found, "Use https: the key travels readable by others.", facts);
}

/** The service tells whole seconds; what the answer took is divided between the ways. */
function checkClock({ date, at, ms }: ProbeResponse): Check {
  const name = "clock";
  const told = Date.parse(date ?? "");
  if (Number.isNaN(told)) return skip(name, "The service tells no time");
  const skewMs = Math.round(at - ms / 2 - told);
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  const found =
    seconds === 0
      ? "This machine's clock is that of the service"
      : `This machine is ${seconds} s ${skewMs < 0 ? "behind" : "ahead of"} the service`;
  if (Math.abs(skewMs) <= MAX_CLOCK_SKEW_MS) return ok(name, found, { skewMs });
  const hint = "Set this machine's clock: ages such as --from 7d are counted from it.";
  return warn(name, found, hint, { skewMs });
}

function checkManagementKey(key: KeyLookup, answer: unknown, ingest: KeyLookup): Check {
  const name = "management key";
  // Who sends telemetry alone needs none.
  if (key instanceof CliError)
    return ingest instanceof CliError ? failFromError(name, key) : warnFromError(name, key);
  const facts = { source: key.source };
  if (answer instanceof CliError) return reportRefusedKey(name, "management", answer, facts);
  const { length } = listGames.response.parse(answer).games;
  const found = `Accepted (from ${key.source}); it reads ${length} ${length === 1 ? "game" : "games"}`;
  return ok(name, found, { ...facts, games: length });
}

/** An empty body of telemetry is refused as such only once the key is accepted. */
async function checkIngestKey(context: Context, options: ClientOptions): Promise<Check> {
  const name = "ingest key";
  const { settings, io } = context;
  const key = await lookUpKey(context, "ingest", options.baseUrl);
  if (key instanceof CliError) {
    const stored = io.env[keyVariables.ingest] || settings.stored.keys?.ingest;
    return stored ? warnFromError(name, key) : skip(name, "None is set; only sending telemetry needs one");
  }
  const { answer } = await sendProbe("POST", "/api/telemetry", {}, key, options, context);
  const facts = { source: key.source };
  if (!(answer instanceof CliError) || answer.code === "bad_request")
    return ok(name, `Accepted (from ${key.source}); it sends telemetry`, facts);
  return reportRefusedKey(name, "ingest", answer, facts);
}

function reportRefusedKey(name: string, kind: ApiKeyKind, answer: CliError, facts: Check["facts"]): Check {
  if (answer.code === "rate_limited") return warnFromError(name, answer, facts);
  return failFromError(name, explainKeyError(answer, kind), facts);
}
