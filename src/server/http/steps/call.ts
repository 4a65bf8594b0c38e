/** Steps that decode the input of an endpoint and call its handler. */

import type { Endpoint } from "../../../contract/define.ts";
import { toStrict } from "../../../contract/strict.ts";
import { requireCurrentKey } from "../../accounts/authenticate.ts";
import type { Call } from "../../accounts/handler.ts";
import { DeferredResponse, StatusResponse, StreamResponse, toJson } from "../../core/responses.ts";
import type { ApiKeyRow, Db } from "../../db/schema.ts";
import { findHandler } from "../all-handlers.ts";
import { readJson, validateBody } from "../body.ts";
import type { Step } from "../context.ts";
import { decodeInput } from "../decode.ts";
import { required, respond, respondStream } from "../exchange.ts";
import { toNetwork } from "../rate-limit-windows.ts";
import { readTask, runsInWorker } from "../read-task.ts";
import type { AppService } from "../service.ts";

/** Decodes path, query and body. Responds to a body that must be discarded. */
export const decode: Step = async (exchange) => {
  const endpoint = required(exchange.endpoint, "endpoint");
  const input = decodeInput(endpoint, {
    params: required(exchange.match, "match").rawParams,
    query: exchange.query,
    // SDKs send unset parameters as empty text.
    // SDKs send it empty if their key is limited to one game.
    optional: exchange.group?.telemetry === true ? ["gameId"] : [],
  });
  if (endpoint.maxBody > 0) {
    const permit = required(exchange.permit, "permit");
    const { json, bytes } = await readJson(exchange.request, endpoint.maxBody, permit);
    exchange.bodyBytes = bytes;
    const receipt = endpoint.discard?.(json) ?? null;
    if (receipt !== null) return respond(exchange, endpoint.status, toJson(receipt));
    const { body, warnings } = validateBody(endpoint, json);
    input.body = body;
    exchange.warnings = warnings;
  }
  exchange.input = input;
  return null;
};

/** Calls the handler. A read runs in one transaction, so that all of its queries see the same state. */
export const handle: Step = async (exchange, { service, options, console }) => {
  const endpoint = required(exchange.endpoint, "endpoint");
  const key = required(exchange.key, "key");
  const input = required(exchange.input, "input");
  const handler = findHandler(endpoint);
  const { warnings, request } = exchange;
  const { headers } = request;
  const isRead = endpoint.method === "GET";
  const finish = (status: number, json: string) => {
    const text = withApplied(json, endpoint, input);
    if (options.validateResponses) toStrict(endpoint.response).parse(JSON.parse(text));
    if (endpoint.cacheControl) exchange.headers["cache-control"] = endpoint.cacheControl;
    return respond(exchange, status, text);
  };
  const call = {
    service: isRead ? service : withKeyCheck(service, key),
    accountId: key.account_id,
    key,
    warnings,
    headers,
    network: toNetwork(exchange.address),
    bodyBytes: exchange.bodyBytes,
    responseHeaders: exchange.headers,
    hasConsole: console !== null,
    acceptsEvents: request.method === "GET" && acceptsEvents(headers),
    lastEventId: headers.get("last-event-id") || undefined,
  };
  if (runsInWorker(endpoint)) {
    const read = { endpoint: endpoint.name, input, key };
    const { status, text } = await service.work.run(readTask, read, request.signal);
    return finish(status, text);
  }
  const run = (db: Call["db"]) => handler(input as Parameters<typeof handler>[0], { ...call, db });
  const result = isRead ? await service.store.read(run) : await run(service.store.writeDb);
  if (result instanceof StreamResponse) return respondStream(exchange, result.stream);
  const finished = result instanceof DeferredResponse ? await result.finish() : result;
  const { status, value } =
    finished instanceof StatusResponse ? finished : { status: endpoint.status, value: finished };
  return finish(status, toJson(value));
};

/**
 * The service for a write. Each transaction is refused if the key was revoked or has expired since the request began, so that
 * nothing is stored with a key after the command that revoked it has ended.
 */
function withKeyCheck(service: AppService, key: ApiKeyRow): AppService {
  const { commits, temporaryKeys } = service;
  const requireKey = (db: Db) => requireCurrentKey({ db, temporaryKeys, now: service.now() }, key);
  return {
    ...service,
    commits: {
      run: (work, undo, mode) =>
        commits.run(
          async (db) => {
            await requireKey(db);
            return await work(db);
          },
          undo,
          mode,
        ),
    },
  };
}

const acceptsEvents = (headers: Headers) => /\btext\/event-stream\b/i.test(headers.get("accept") ?? "");

/**
 * Adds `applied` to the JSON of a response, to confirm extension parameters to the client. Returns the same JSON if the request
 * has none.
 */
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
