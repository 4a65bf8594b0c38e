/** The page docs/reference/limits.md: the limits of the service. */
import { MAX_RAW_EVENT_PAGE_SIZE } from "../../src/contract/events.ts";
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from "../../src/contract/fields.ts";
import { MAX_FUNNEL_STEPS } from "../../src/contract/funnels.ts";
import { MAX_RETENTION_BUILDS } from "../../src/contract/retention.ts";
import { MAX_EVENT_PAGE_SIZE } from "../../src/contract/session-events.ts";
import { TELEMETRY_LIMITS } from "../../src/contract/telemetry.ts";
import { TAIL_LIMITS } from "../../src/contract/telemetry-tail.ts";
import { MAX_TREND_BUILDS } from "../../src/contract/trends.ts";
import { MAX_CALLS, MAX_SESSIONS } from "../../src/mcp/sessions.ts";
import { MAX_ANALYSIS_MS, MAX_ROOMS } from "../../src/server/analysis/apply-rules.ts";
import { budgetNames, getBudget, toAddressLimit } from "../../src/server/db/budgets/definitions.ts";
import { defaultAdmission } from "../../src/server/http/admission.ts";
import { MAX_CONNECTIONS } from "../../src/server/http/listen.ts";
import { defaultRateLimits } from "../../src/server/http/rate-limits.ts";
import { MAX_READ_MS } from "../../src/server/http/read-task.ts";
import { defaultTimeouts } from "../../src/server/http/timeouts.ts";
import {
  BURST_MS,
  KEPT_MS,
  MAX_AGE_MS,
  MAX_ATTEMPTS,
  MAX_KEPT,
  MAX_PENDING,
  MAX_WEBHOOKS,
} from "../../src/server/notifications/limits.ts";
import { MAX_RUNS, QUIET_MS } from "../../src/server/sessions/analysis-queue.ts";
import { MAX_EVENT_NAMES } from "../../src/server/telemetry/event-names.ts";
import { defaultSessionLimits } from "../../src/server/telemetry/session-limits.ts";
import { MAX_HEAP_MB, MAX_READERS } from "../../src/server/workers/work.ts";
import { formatSize } from "../../src/shared/sizes.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../src/shared/time-units.ts";

type Rows = readonly (readonly [limit: string, value: string])[];

const count = (value: number) => value.toLocaleString("en-US");
const mebibytes = (bytes: number) => `${bytes / 2 ** 20} MiB`;
const seconds = (ms: number) => `${ms / 1000} s`;
const perMinute = (name: keyof typeof defaultRateLimits) => {
  const { points, seconds: window } = defaultRateLimits[name];
  return `${count((points * 60) / window)} per minute`;
};

const sections: Readonly<Record<string, Rows>> = {
  "Rates, then 429 with `Retry-After`": [
    ["requests with one management key (`server start --key-limit`)", perMinute("key")],
    ["requests from one address without those of games, or `--key-limit` if that is higher", perMinute("ip")],
    ["telemetry requests of one device; of one session", perMinute("device")],
    ["telemetry requests from one address (`server start --telemetry-limit`)", perMinute("ingest")],
    ["other requests of games from one address", perMinute("telemetry")],
    ["pages of the console for one sign-in", perMinute("page")],
  ],
  "Load, then 503 with `Retry-After`": [
    ["requests in progress", count(defaultAdmission.requests)],
    ["their bodies, as sent and as decompressed", mebibytes(defaultAdmission.bodyBytes)],
    ["connections; further ones are closed", count(MAX_CONNECTIONS)],
  ],
  "Expensive work, then 503 or a failed analysis": [
    ["one read; the analysis of one session", `${seconds(MAX_READ_MS)}; ${seconds(MAX_ANALYSIS_MS)}`],
    [
      "memory of a worker for values of JavaScript",
      `${MAX_HEAP_MB} MB, at most a third of the machine or container`,
    ],
    [
      "workers for reads; for analyses and other work in the background",
      `one less than processors, 1 to ${MAX_READERS}; 1`,
    ],
  ],
  "Slow clients, then the connection is closed": [
    ["receiving the headers", seconds(defaultTimeouts.headersMs)],
    ["receiving the whole request", seconds(defaultTimeouts.requestMs)],
    ["reading the response", seconds(defaultTimeouts.responseMs)],
    ["idle connection", seconds(defaultTimeouts.idleMs)],
  ],
  Telemetry: [
    ["body after decompression", mebibytes(TELEMETRY_LIMITS.bodyBytes)],
    ["events in a request", count(TELEMETRY_LIMITS.events)],
    [
      "characters of an event id; of an event name",
      `${TELEMETRY_LIMITS.eventId}; ${TELEMETRY_LIMITS.eventName}`,
    ],
    ["levels of nesting in data", count(TELEMETRY_LIMITS.nesting)],
    ["event names counted for a game; others count as `(other)`", count(MAX_EVENT_NAMES)],
    ["events of a session (`server start --max-session-events`)", count(defaultSessionLimits.events)],
    [
      "events of a session before compression (`server start --max-session-size`)",
      formatSize(defaultSessionLimits.bytes),
    ],
    ["rooms of a session that are counted, those that were left last", count(MAX_ROOMS)],
    [
      "analyses of an ended session; those of late data wait until it is quiet",
      `${MAX_RUNS}; ${seconds(QUIET_MS)}`,
    ],
    [
      "kept for `telemetry tail`",
      `${TAIL_LIMITS.ms / MINUTE_MS} min, ${count(TAIL_LIMITS.requests)} requests`,
    ],
  ],
  Responses: [
    ["items of a page of a list", `${MAX_PAGE_SIZE} (default: ${DEFAULT_PAGE_SIZE})`],
    [
      "events of a page: of a session; of `raw-events`",
      [MAX_EVENT_PAGE_SIZE, MAX_RAW_EVENT_PAGE_SIZE].map(count).join("; "),
    ],
    ["steps of a funnel", count(MAX_FUNNEL_STEPS)],
    ["builds of a trend; of retention", `${MAX_TREND_BUILDS}; ${MAX_RETENTION_BUILDS}`],
  ],
  "Webhooks and assistants": [
    ["webhooks of an account", count(MAX_WEBHOOKS)],
    ["events that wait for one webhook; others are dropped", count(MAX_PENDING)],
    ["events of one webhook that are kept to be sent again", count(MAX_KEPT)],
    ["how long they are kept", `${KEPT_MS / DAY_MS} days`],
    ["events of a kind are gathered for a chat channel", seconds(BURST_MS)],
    ["until an event is dropped", `${MAX_ATTEMPTS} attempts or ${MAX_AGE_MS / HOUR_MS} h`],
    ["MCP sessions of a key; open calls", `${MAX_SESSIONS}; ${MAX_CALLS}`],
  ],
};

const consequences = {
  volume: "429",
  names: "events are `rejected`",
  spending: "waits",
} as const;

/** The budgets of a day, from their definitions. */
function budgetsSection(): string {
  const rows = budgetNames.map((name) => {
    const { kind, scope, limit, description } = getBudget(name);
    const address = toAddressLimit(name, limit);
    const of = scope === "account" ? "account" : "key, game";
    return `| \`${name}\` | ${description} | ${of} | ${count(limit)} | ${address === null ? "" : count(address)} | ${consequences[kind]} |`;
  });
  return [
    "## Budgets per UTC day",
    "",
    "Everybody who has a game has its ingest key, so budgets bound what a key and a game may cause in a day. Beyond a budget, requests " +
      'get 429 with `"reason": "budget"`, and clients keep their data and send it again. The second half of a budget is kept for devices that the service has known ' +
      "for a day, except that of new devices. Messages and calls to models wait until the next day, and the rules analyze sessions meanwhile.",
    "",
    "`playtest admin budgets list` shows what was used, and `admin budgets set` changes a limit. A key without a limit of its own has that of the game. " +
      "Several servers of a database see what the others counted within 15 seconds, and each counts addresses on its own. " +
      "`--limits off` does not turn budgets off; `--budgets off` does, for bulk loads. Imports by `server import` have no budgets.",
    "",
    "| budget | what counts | of a | limit | of one address | beyond it |",
    "| --- | --- | --- | --- | --- | --- |",
    ...rows,
  ].join("\n");
}

/** Returns the page. */
export function limitsPage(): string {
  const parts = Object.entries(sections).map(([title, rows]) =>
    [
      `## ${title}`,
      "",
      "| limit | value |",
      "| --- | --- |",
      ...rows.map(([limit, value]) => `| ${limit} | ${value} |`),
    ].join("\n"),
  );
  const notice = "<!-- Generated by `npm run generate` from the limits. -->";
  const intro =
    "Addresses of IPv6 are counted by their /64 network. `server start --limits off` turns rates off.";
  const [rates = "", ...others] = parts;
  return `${[notice, "# Limits", intro, rates, budgetsSection(), ...others].join("\n\n")}\n`;
}
