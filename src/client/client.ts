/** The client: a typed method for each endpoint it is given, with checks, retries and errors by the contract. */
import type * as z from "zod";
import {
  type Credential,
  type Endpoint,
  endpointEntries,
  type Input,
  type Output,
} from "../contract/define.ts";
import { checkResponse } from "./check-response.ts";
import { withDeadline } from "./deadline.ts";
import { ClientError, type FailedCall, responseError } from "./errors.ts";
import { describeNotFound } from "./not-found.ts";
import { parseResponse } from "./read-response.ts";
import { type ClientRetryHooks, withRetries } from "./retry.ts";
import type { Transport, TransportResponse } from "./transport.ts";

/** What a client needs to know of the service and of its surroundings. */
export interface ClientOptions {
  /** Origin, and path where it is mounted below one; no slash at the end. */
  readonly baseUrl: string;
  /** The key sent as bearer; null sends none. */
  readonly key: string | null;
  readonly transport: Transport;
  readonly waiting: ClientRetryHooks;
  /** The longest silence of the service within a request, ms; the whole of it may take WHOLE times as long. */
  readonly timeoutMs: number;
  /** Budget of waits for 429, ms. */
  readonly maxWaitMs: number;
  readonly signal?: AbortSignal;
  readonly userAgent?: string;
  /** Told of every exchange, the key not included. */
  readonly onExchange?: (exchange: ClientExchange) => void;
  /** Told of every answer that holds what the contract promises. */
  readonly onAnswer?: (endpoint: string, input: Readonly<Record<string, unknown>>, answer: unknown) => void;
}

export interface ClientExchange {
  readonly method: string;
  readonly url: string;
  readonly status: number;
  readonly requestId: string | null;
  /** How long it took, ms. */
  readonly ms: number;
  /** Length of the body as text. */
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

/** Creates the methods of the endpoints in a contract module, or of a selection of endpoints. */
export function createClient<T extends object>(module: T, options: ClientOptions): Client<T> {
  const methods = endpointEntries(module).map(([name, endpoint]) => [
    name,
    (input: Record<string, unknown> = {}) => callEndpoint(endpoint, input, options),
  ]);
  return Object.fromEntries(methods) as Client<T>;
}

/** Calls one endpoint. Throws ClientError: `invalid_input` for input that the contract refuses, else the error received. */
export async function callEndpoint<E extends Endpoint>(
  endpoint: E,
  input: Record<string, unknown>,
  options: ClientOptions,
): Promise<Output<E>> {
  const { body, ...given } = input;
  const path = fillPath(endpoint, checkInput(endpoint, given));
  const rules = { maxWaitMs: options.maxWaitMs, repeatable: endpoint.idempotent };
  const attempt = () => sendRequest(endpoint.method, path, body, options, endpoint.credential);
  try {
    const exchanged = await withRetries(attempt, rules, options.waiting, options.signal);
    const answer = checkResponse(endpoint, exchanged);
    options.onAnswer?.(endpoint.name, input, answer);
    return answer;
  } catch (error) {
    throw error instanceof ClientError ? attachCall(error, { endpoint, input }) : error;
  }
}

/** The error with the call that met it, where that helps to say what to do next. */
function attachCall(error: ClientError, call: FailedCall): ClientError {
  if (error.code === "not_found") return describeNotFound(error, call);
  if (error.code !== "unauthorized") return error;
  const { message, status, requestId, extra } = error;
  return new ClientError("unauthorized", message, { status, requestId, extra, call, cause: error });
}

/** The latest time that a date can hold, unix ms. */
const MAX_DATE_MS = 8_640_000_000_000_000;

/** Sends one request and answers its JSON body; any status but 2xx is thrown. No message names a key in the query. */
export async function sendRequest(
  method: string,
  path: string,
  body: unknown,
  options: ClientOptions,
  credential: Credential = "bearer",
): Promise<{ json: unknown; requestId: string | null }> {
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
  if (status >= 400) throw responseError(status, json, requestId);
  if (status < 200 || status > 299) throw redirectError(response, requestId);
  if (json === undefined) throw new ClientError("contract", `${url} answered with no JSON`, { requestId });
  return { json, requestId };
}

function appendQueryKey(url: string, key: string): string {
  return `${url}${url.includes("?") ? "&" : "?"}key=${encodeURIComponent(key)}`;
}

/** A redirect is not followed: it would take the key to another address. */
function redirectError({ status, headers }: TransportResponse, requestId: string | null): ClientError {
  const to = headers.location ? ` to ${headers.location}` : "";
  const message = `The service answered ${status}, a redirect${to}, which is not followed`;
  const hint = "Set the base URL to where the service is.";
  return new ClientError("contract", message, { hint, status, requestId });
}

/** The input once the contract has taken it. Throws `invalid_input` naming each value and what is allowed. */
export function checkInput(endpoint: Endpoint, given: Record<string, unknown>): Record<string, unknown> {
  const known = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  for (const schema of [endpoint.params, endpoint.query]) {
    const result = schema.safeParse(known);
    if (!result.success) throw inputError(result.error, known);
  }
  for (const name of Object.keys(endpoint.params.shape)) {
    if (known[name] !== "." && known[name] !== "..") continue;
    const message = `${name} ${JSON.stringify(known[name])}: URLs take it for a folder, not a name`;
    throw new ClientError("invalid_input", message);
  }
  return known;
}

function inputError(error: z.ZodError, given: Record<string, unknown>): ClientError {
  const issues = error.issues.map(({ path, code, message }) => ({ path: path.map(String), code, message }));
  const told = issues.map(({ path, message }) => {
    const name = path[0] ?? "";
    const value = given[name];
    return `${path.join(".")}${value === undefined ? "" : ` ${formatInputValue(name, value)}`}: ${message}`;
  });
  return new ClientError("invalid_input", told.join("; "), { issues });
}

/** A value as it is typed: times as ISO 8601. */
function formatInputValue(name: string, value: unknown): string {
  const isTime = (name === "from" || name === "to") && typeof value === "number" && value <= MAX_DATE_MS;
  return isTime ? new Date(value).toISOString() : JSON.stringify(value);
}

/** A value within an address. A name that is no Unicode text, which a service may send, is one that it will not find. */
function encodeUrlValue(value: unknown): string {
  return encodeURIComponent(String(value).toWellFormed());
}

function fillPath(endpoint: Endpoint, input: Record<string, unknown>): string {
  const path = endpoint.path.replace(/\{([^}]+)\}/g, (_, name: string) => encodeUrlValue(input[name]));
  const query = Object.keys(endpoint.query.shape)
    .filter((name) => input[name] !== undefined)
    .map((name) => `${name}=${encodeUrlValue(input[name])}`);
  return query.length > 0 ? `${path}?${query.join("&")}` : path;
}
