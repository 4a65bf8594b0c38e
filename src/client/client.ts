/** The client: a typed method for each endpoint, with validation, retries and typed errors. */
import type * as z from "zod";
import { EXTENSIONS_HEADER, parseExtensions } from "../contract/announcement.ts";
import {
  type Credential,
  type Endpoint,
  endpointEntries,
  type Input,
  type Output,
} from "../contract/define.ts";
import { describeIssue, type Issue, RANGE_ORDER_MESSAGES } from "../contract/errors.ts";
import { listGames } from "../contract/games.ts";
import { checkResponse } from "./check-response.ts";
import { withDeadline } from "./deadline.ts";
import { ClientError, type ClientErrorCode, type FailedCall, responseError } from "./errors.ts";
import { parseResponse } from "./read-response.ts";
import { type ClientRetryHooks, withRetries } from "./retry.ts";
import type { Transport, TransportResponse } from "./transport.ts";

export interface ClientOptions {
  /** The URL of the service, with its path prefix if it has one, without a trailing slash. */
  readonly baseUrl: string;
  /** The API key; null to send none. */
  readonly key: string | null;
  readonly transport: Transport;
  readonly waiting: ClientRetryHooks;
  /** Idle timeout, ms. A whole request may take DEADLINE_FACTOR times as long. */
  readonly timeoutMs: number;
  /** The maximum total wait for 429 responses per call, ms. */
  readonly maxWaitMs: number;
  readonly signal?: AbortSignal;
  readonly userAgent?: string;
  /** What the service announced during this run. Calls of `listGames` set it. */
  readonly announced?: Announced;
  /** Called after every exchange. The URL does not contain the key. */
  readonly onExchange?: (exchange: ClientExchange) => void;
  /** Called with every valid response. */
  readonly onAnswer?: (endpoint: string, input: Readonly<Record<string, unknown>>, answer: unknown) => void;
}

export interface Announced {
  /** The value of EXTENSIONS_HEADER; empty if the service sent none, and null before the list of games was read. */
  header: string | null;
}

interface ClientExchange {
  readonly method: string;
  readonly url: string;
  readonly status: number;
  readonly requestId: string | null;
  /** Duration, ms. */
  readonly ms: number;
  /** Length of the body in characters. */
  readonly size: number;
}

type ClientMethod<E extends Endpoint> =
  object extends Input<E>
    ? (input?: Input<E>) => Promise<Output<E>>
    : (input: Input<E>) => Promise<Output<E>>;

/** A method for each endpoint among the exports of a contract module, under the endpoint's own name. */
export type Client<T extends object> = {
  readonly [Name in keyof T as T[Name] extends Endpoint ? Name : never]: T[Name] extends Endpoint
    ? ClientMethod<T[Name]>
    : never;
};

/** A client that also says what the service announces. */
export type AnnouncingClient<T extends object> = Client<T> & {
  /** As the function `announces`. */
  readonly announces: (name: string) => Promise<boolean>;
};

/** Creates the methods of the endpoints in a contract module, or of a selection of endpoints. */
export function createClient<T extends object>(module: T, options: ClientOptions): AnnouncingClient<T> {
  const methods = endpointEntries(module).map(([name, endpoint]) => [
    name,
    (input: Record<string, unknown> = {}) => callEndpoint(endpoint, input, options),
  ]);
  return {
    ...Object.fromEntries(methods),
    announces: (name: string) => announces(options, name),
  } as AnnouncingClient<T>;
}

/** The parameters that the service announces for an endpoint, for those that only improve an answer. */
export async function keepAnnounced<Parameters extends object>(
  { announces: isAnnounced }: Pick<AnnouncingClient<object>, "announces">,
  { name }: Pick<Endpoint, "name">,
  parameters: Parameters,
): Promise<Partial<Parameters>> {
  const kept: Partial<Parameters> = {};
  for (const key of Object.keys(parameters) as (keyof Parameters & string)[])
    if (parameters[key] !== undefined && (await isAnnounced(`${name}?${key}`))) kept[key] = parameters[key];
  return kept;
}

/** Errors of the list of games after which the service announces nothing, but may answer everything else. */
const SILENT: readonly ClientErrorCode[] = [
  "contract",
  "forbidden",
  "method_not_allowed",
  "not_found",
  "unsupported",
];

/** A redirect and the page of another service are answers of something else. */
const isSilent = ({ code, status }: ClientError): boolean =>
  SILENT.includes(code) && !(code === "contract" && status !== null);

/**
 * Whether a service announces an extension: an endpoint such as `getBuildFacts`, or a query parameter such as
 * `listInsights?room`. Reads the list of games unless this run has read it from the service. Throws ClientError if the service
 * cannot be reached, or refuses the key.
 */
export async function announces(options: ClientOptions, name: string): Promise<boolean> {
  const announced = options.announced ?? { header: null };
  if (announced.header === null) {
    try {
      await callEndpoint(listGames, {}, { ...options, announced });
    } catch (error) {
      if (!(error instanceof ClientError && isSilent(error))) throw error;
      announced.header ??= "";
    }
  }
  return parseExtensions(announced.header).has(name);
}

/** Calls one endpoint. Throws ClientError: `invalid_input` for invalid input, otherwise the error of the request. */
export async function callEndpoint<E extends Endpoint>(
  endpoint: E,
  input: Record<string, unknown>,
  options: ClientOptions,
): Promise<Output<E>> {
  const { body, ...values } = input;
  const path = buildPath(endpoint, checkInput(endpoint, values));
  if (options.announced) await requireAnnounced({ endpoint, input }, options);
  const rules = { maxWaitMs: options.maxWaitMs, repeatable: endpoint.idempotent };
  const attempt = () => sendRequest(endpoint.method, path, body, options, endpoint.credential);
  try {
    const received = await withRetries(attempt, rules, options.waiting, options.signal);
    if (options.announced && endpoint.name === listGames.name)
      options.announced.header = received.headers[EXTENSIONS_HEADER] ?? "";
    const response = await checkResponse(endpoint, received);
    options.onAnswer?.(endpoint.name, input, response);
    return response;
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    // Loaded only for errors, because most commands have none.
    throw (await import("./failed-calls.ts")).attachCall(error, { endpoint, input });
  }
}

/** Throws `unsupported` if a request needs an extension that the service does not announce. */
async function requireAnnounced(call: FailedCall, options: ClientOptions): Promise<void> {
  const { endpoint, input } = call;
  // Only management keys read what a service announces.
  if (!endpoint.keys.includes("management")) return;
  if (endpoint.extension && !(await announces(options, endpoint.name)))
    throw (await import("./not-offered.ts")).endpointNotOffered({ status: null, requestId: null }, call);
  for (const name of endpoint.extensions)
    if (input[name] !== undefined && !(await announces(options, `${endpoint.name}?${name}`)))
      throw (await import("./not-offered.ts")).parameterNotOffered(name, call);
}

/** The latest time that a Date can represent, unix ms. */
const MAX_DATE_MS = 8_640_000_000_000_000;

interface ReceivedResponse {
  readonly json: unknown;
  readonly requestId: string | null;
  /** By lower-case name. */
  readonly headers: TransportResponse["headers"];
}

/** Sends one request and returns its JSON body. Throws for any status except 2xx. No error message contains a key. */
export async function sendRequest(
  method: string,
  path: string,
  body: unknown,
  options: ClientOptions,
  credential: Credential = "bearer",
): Promise<ReceivedResponse> {
  const { baseUrl, key, transport, timeoutMs, signal } = options;
  const url = baseUrl + path;
  const headers: Record<string, string> = { accept: "application/json" };
  if (options.userAgent) headers["user-agent"] = options.userAgent;
  if (key !== null && credential === "bearer") headers.authorization = `Bearer ${key}`;
  if (body !== undefined) headers["content-type"] = "application/json";
  const started = performance.now();
  const response = await withDeadline(url, { timeoutMs, signal }, (deadline) =>
    transport({
      method,
      url: key !== null && credential === "query" ? appendQueryKey(url, key) : url,
      headers,
      timeoutMs,
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      signal: deadline,
    }),
  );
  const requestId = response.headers["x-request-id"] ?? null;
  const { status, body: text } = response;
  options.onExchange?.({
    method,
    url,
    status,
    requestId,
    ms: performance.now() - started,
    size: text.length,
  });
  const json = parseResponse(text);
  if (status >= 400) {
    if (isForeign(baseUrl, status, json)) throw foreignError(baseUrl, status, requestId);
    throw responseError(status, json, response.headers);
  }
  if (status < 200 || status > 299) throw redirectError(response, requestId);
  if (json === undefined)
    throw new ClientError("contract", `The response of ${url} is not valid JSON`, { requestId });
  return { json, requestId, headers: response.headers };
}

/** Whether a 404 is that of another service, or of a wrong path of this one. A 404 of the API has a JSON object. */
const isForeign = (baseUrl: string, status: number, json: unknown): boolean =>
  status === 404 && (typeof json !== "object" || json === null || isApiPath(baseUrl));

/** Whether a base URL contains the path that every request has. */
const isApiPath = (baseUrl: string): boolean => /\/api(\/v1)?$/.test(new URL(baseUrl).pathname);

function foreignError(baseUrl: string, status: number, requestId: string | null): ClientError {
  const message = `${baseUrl} is not the address of a playtest service (HTTP ${status})`;
  const hint = isApiPath(baseUrl)
    ? `Omit the path of the API: ${baseUrl.replace(/\/api(\/v1)?$/, "")}`
    : "Check the base URL.";
  return new ClientError("contract", message, { hint, status, requestId });
}

function appendQueryKey(url: string, key: string): string {
  return `${url}${url.includes("?") ? "&" : "?"}key=${encodeURIComponent(key)}`;
}

/** Redirects are not followed, because they would send the key to another address. */
function redirectError({ status, headers }: TransportResponse, requestId: string | null): ClientError {
  const to = headers.location ? ` to ${headers.location}` : "";
  const message = `The service responded with a redirect${to} (HTTP ${status}), which is not followed`;
  const hint = "Set the base URL to the final address of the service.";
  return new ClientError("contract", message, { hint, status, requestId });
}

/** Validates input and returns it without undefined values. Throws `invalid_input` with each invalid value and what is allowed. */
export function checkInput(endpoint: Endpoint, input: Record<string, unknown>): Record<string, unknown> {
  const values = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
  for (const schema of [endpoint.params, endpoint.query]) {
    const result = schema.safeParse(values);
    if (!result.success) throw inputError(result.error, { endpoint, input: values });
  }
  for (const name of Object.keys(endpoint.params.shape)) {
    if (values[name] !== "." && values[name] !== "..") continue;
    const message = `${name} ${JSON.stringify(values[name])} must not be "." or ".."`;
    throw new ClientError("invalid_input", message);
  }
  return values;
}

function inputError(error: z.ZodError, call: FailedCall): ClientError {
  const issues = error.issues.map(({ path, code, message }) => ({ path: path.map(String), code, message }));
  return new ClientError("invalid_input", describeInvalidInput(issues, call.input), { issues, call });
}

/** Describes the invalid values in one line. `formatName` returns the name of a parameter as people know it. */
export function describeInvalidInput(
  issues: readonly Issue[],
  input: Readonly<Record<string, unknown>>,
  formatName = (name: string): string => name,
): string {
  const format = (name: string) => `${formatName(name)} ${formatInputValue(name, input[name])}`;
  const descriptions = issues.map(({ path, message }) => {
    const [name = "", ...rest] = path.map(String);
    if (message === RANGE_ORDER_MESSAGES.from) return `${format("from")} is after ${format("to")}`;
    const label = [formatName(name), ...rest].join(".");
    return describeIssue(
      input[name] === undefined ? label : `${label} ${formatInputValue(name, input[name])}`,
      message,
    );
  });
  // A reversed range is reported for both of its bounds.
  return descriptions.filter((_, index) => issues[index]?.message !== RANGE_ORDER_MESSAGES.to).join("; ");
}

/** Formats a value as people type it: times as ISO 8601. */
function formatInputValue(name: string, value: unknown): string {
  const isTime = (name === "from" || name === "to") && typeof value === "number" && value <= MAX_DATE_MS;
  return isTime ? new Date(value).toISOString() : JSON.stringify(value);
}

/** Encodes a value for a URL. encodeURIComponent throws for lone surrogates, so they are replaced first. */
function encodeUrlValue(value: unknown): string {
  return encodeURIComponent(String(value).toWellFormed());
}

/** The path and query of a request with valid input. */
export function buildPath(endpoint: Endpoint, input: Record<string, unknown>): string {
  const path = endpoint.path.replace(/\{([^{}]+)\}/g, (_, name: string) => encodeUrlValue(input[name]));
  const query = Object.keys(endpoint.query.shape)
    .filter((name) => input[name] !== undefined)
    .map((name) => `${name}=${encodeUrlValue(input[name])}`);
  return query.length > 0 ? `${path}?${query.join("&")}` : path;
}
