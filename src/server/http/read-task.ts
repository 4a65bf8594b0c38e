/** Answers a read of the API, in a worker if it may cost more than a page. */
import type { Endpoint } from "../../contract/define.ts";
import { type EndpointName, endpoints } from "../../contract/index.ts";
import type { Handler } from "../accounts/handler.ts";
import { DeferredResponse, StatusResponse, StreamResponse, toJson } from "../core/responses.ts";
import type { ApiKeyRow } from "../db/schema.ts";
import type { Task } from "../db/service.ts";
import { findHandler } from "./all-handlers.ts";
import type { AppService } from "./service.ts";

/** The read of an authenticated client. */
interface Read {
  readonly endpoint: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly key: ApiKeyRow;
}

interface ReadAnswer {
  readonly status: number;
  /** JSON. */
  readonly text: string;
}

/** Maximum duration of a read, ms. Clients do not wait longer. */
export const MAX_READ_MS = 60_000;

const NO_HEADERS = new Headers();

/** Runs the handler of a read. All of its queries see the same state. */
export const readTask: Task<Read, ReadAnswer, AppService> = {
  name: "read",
  lane: "reads",
  maxMs: MAX_READ_MS,
  getOwner: ({ key }) => key.account_id,
  async run(service, { endpoint: name, input, key }) {
    const endpoint: Endpoint = endpoints[name as EndpointName];
    const handler = findHandler(endpoint);
    const common = {
      ...{ service, accountId: key.account_id, key, warnings: [], headers: NO_HEADERS },
      // Only writes count toward budgets.
      ...{ network: "", bodyBytes: 0 },
    };
    const result = await service.store.read((db) =>
      handler(input as Parameters<Handler<Endpoint>>[0], { ...common, db, responseHeaders: {} }),
    );
    if (result instanceof StreamResponse || result instanceof DeferredResponse)
      throw new Error(`The handler of ${name} needs the process of the service`);
    const { status, value } =
      result instanceof StatusResponse ? result : { status: endpoint.status, value: result };
    return { status, text: toJson(value) };
  },
};

/**
 * Reads that run in the process of the service. Each costs at most as much as a short page, streams, waits for AI models, or
 * uses what only that process has. Games wait for some of them.
 */
const ownReads: ReadonlySet<EndpointName> = new Set([
  "listGames",
  "getGame",
  "getEventConfig",
  "getSession",
  "getInsight",
  "getBugReport",
  "getFeedback",
  "getBatch",
  "listWebhooks",
  "listGameFeedbackForms",
  "listGameExperiments",
  "tailTelemetry",
  "countRefusals",
  "getBuildSuggestions",
  "getTesterArchetypes",
]);

/** Whether an endpoint is a read for `readTask`. */
export function runsInWorker({ name, method, path }: Endpoint): boolean {
  return method === "GET" && path.startsWith("/api/v1/") && !ownReads.has(name as EndpointName);
}
