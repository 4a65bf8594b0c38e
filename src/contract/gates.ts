/**
 * Gates that the service decides later. CI opens one with a CI key and ends; once testers have played, the service sends the verdict
 * to a receiver. Like the registration of builds, opening one lies outside of `/api/v1`, which a management key only reads.
 */
import * as z from "zod";
import { DAY_MS } from "../shared/time-units.ts";
import { MIN_COMPARED_TESTERS } from "./build-order.ts";
import { defineRead, defineWrite } from "./define.ts";
import { GAME_REQUIRED } from "./errors.ts";
import { count, openEnum, orNull, page, text, unixMs } from "./fields.ts";
import { envFilter, gameFilter } from "./filters.ts";
import { game } from "./games.ts";
import { buildFilter, defineResource, listQuery } from "./resource.ts";
import { knownGameVersion } from "./telemetry.ts";

const gateStates = ["open", "passed", "failed", "inconclusive", "closed"] as const;
export type GateState = (typeof gateStates)[number];
const gateDeliveries = ["waiting", "delivered", "dropped", "unknown"] as const;
export type GateDelivery = (typeof gateDeliveries)[number];

/** How long a gate waits for testers, ms. */
export const DEFAULT_GATE_WAIT_MS = 7 * DAY_MS;
export const MAX_GATE_WAIT_MS = 90 * DAY_MS;
/** The value of `reason` in a 400: the receiver needs a commit. */
export const COMMIT_REQUIRED = "commit_required";
/** The maximum number of open gates of a game. */
export const MAX_OPEN_GATES = 200;

const gate = z.object({
  id: z.string().describe("ID of the gate (`gate_...`)"),
  state: openEnum(gateStates).describe("`open` until it is decided, or `closed` by an operator"),
  a: z.string().describe("Build to compare with; `previous` until the gate is decided"),
  b: z.string().describe("Build that is judged"),
  environment: z.string(),
  commit: orNull(z.string()).describe("Hash of the commit"),
  to: z.string().describe("Name or ID of the webhook that receives the verdict"),
  minTesters: count.describe("Number of testers of b that it waits for"),
  testers: count.describe("Number of testers of b when the service last looked"),
  openedAt: unixMs.describe("unix ms"),
  deadline: unixMs.describe("When it is decided with the testers that there are, unix ms"),
  decidedAt: orNull(unixMs).describe("unix ms"),
  answer: orNull(z.string()).describe("The verdict in one line"),
  delivery: orNull(openEnum(gateDeliveries)).describe(
    "Whether the receiver has the verdict: `waiting`, `delivered`, `dropped` if it was given up, or `unknown` if an earlier version sent it. Null while the gate is open",
  ),
});
export type Gate = z.output<typeof gate>;

export const openGate = defineWrite({
  name: "openGate",
  path: "/api/ci/gates",
  summary:
    "Open a gate that the service decides once testers have played, and sends to a webhook. A gate for the same builds and receiver is replaced",
  tag: "builds",
  extension: true,
  keys: ["ci"],
  names: { gameId: "game", to: "receiver" },
  sample: { gameId: "{game}", b: "{build}", to: "{receiver}" },
  maxBody: 256 * 1024,
  status: 200,
  idempotent: true,
  body: z.object({
    gameId: gameFilter.optional().describe("Game ID or slug. Required unless the key is limited to one game"),
    a: knownGameVersion
      .optional()
      .describe("Build to compare with (default: `previous`, the build before b)"),
    b: knownGameVersion.describe("Build to judge. It may have no sessions yet"),
    env: envFilter.optional().describe("Environment of the sessions, or `all` (default: production)"),
    commit: z
      .string()
      .regex(/^[0-9a-f]+$/, "must be the whole hash of a commit")
      .refine((hash) => hash.length === 40 || hash.length === 64, "must be the whole hash of a commit")
      .optional()
      .describe("Hash of the commit that b was built from. Required for statuses of commits"),
    to: text(1, 120).describe("Name or ID of the webhook that receives the verdict"),
    rules: z
      .record(z.string(), z.unknown())
      .optional()
      .describe("Rules, as `gate` in playtest.config.json (default: none)"),
    waitMs: z
      .int()
      .min(1000)
      .max(MAX_GATE_WAIT_MS)
      .optional()
      .describe(
        "After how many milliseconds it is decided with the testers that there are (default: 7 days)",
      ),
  }),
  response: z.object({
    game,
    gate,
    isNew: z.boolean().describe("Whether no gate for the same builds and receiver was open"),
  }),
  errors: ["not_found", "conflict", "payload_too_large", "unsupported_media_type"],
  reasons: {
    bad_request: [GAME_REQUIRED, COMMIT_REQUIRED],
    not_found: ["unknown_game", "unknown_receiver", "unknown_build"],
    conflict: ["too_many_gates"],
  },
});

const gateFilters = {
  state: {
    schema: z.enum(gateStates).optional().describe("State (default: all)"),
    flag: ["--state <state>", `state: ${gateStates.join(", ")} (default: all)`],
    label: "State",
  },
  build: { ...buildFilter, schema: buildFilter.schema.describe("Build that is judged (default: all)") },
} as const;

export const listGates = defineRead({
  name: "listGates",
  tool: null,
  path: "/api/v1/gates/{game}",
  summary: "List the gates that CI has opened at the service, newest first",
  tag: "builds",
  extension: true,
  paged: true,
  query: listQuery(gateFilters),
  response: page(gate),
});

export const gates = defineResource({
  name: "gates",
  item: gate,
  list: listGates,
  filters: gateFilters,
  columns: {
    state: {
      header: "STATE",
      tone: ({ state }) =>
        state === "passed" ? "good" : state === "failed" ? "bad" : state === "open" ? "muted" : null,
    },
    b: { header: "BUILD", kind: "build", link: "build", tone: "strong" },
    a: { header: "BASELINE", kind: "build" },
    environment: { header: "ENVIRONMENT", groups: true },
    testers: {
      header: "TESTERS",
      value: ({ testers }) => testers,
      format: ({ testers, minTesters, state }) =>
        state === "open" ? `${testers} of ${minTesters}` : `${testers}`,
    },
    openedAt: { header: "OPENED", kind: "time" },
    deadline: { header: "DEADLINE", kind: "time", wide: true },
    decidedAt: { header: "DECIDED", kind: "time", wide: true },
    to: { header: "TO", shrink: 1 },
    delivery: {
      header: "DELIVERY",
      tone: ({ delivery }) => (delivery === "dropped" ? "bad" : "muted"),
    },
    answer: { header: "ANSWER", shrink: 2, last: true },
    commit: { header: "COMMIT", wide: true, shrink: 3 },
    id: { header: "ID", wide: true },
  },
  command: {
    path: "gate list",
    summary: "List the gates that --detach opened, newest first",
    details:
      "The service decides an open gate once enough testers have played and their sessions are analyzed, or at its deadline, and " +
      "sends the verdict to TO. DELIVERY shows whether it has arrived.",
    examples: ["gate list --game ember", "gate list --state open --json"],
    empty: "No gates.",
  },
  page: {
    title: "Gates",
    columns: [
      "b",
      "a",
      "environment",
      "state",
      "testers",
      "openedAt",
      "deadline",
      "to",
      "delivery",
      "answer",
    ],
    caption: "Gates that CI has opened, newest first",
    empty: `CI opens gates with playtest gate --detach. They wait for ${MIN_COMPARED_TESTERS} or more testers of a build.`,
    emptyFiltered: "No gate matches.",
    opens: null,
  },
});
