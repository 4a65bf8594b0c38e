/** The `telemetry` commands, and the check of the events that a game sends. */
import { findEventFault } from "../../../contract/event-faults.ts";
import { defineColumns } from "../../../render/tables/columns.ts";
import { command, createTable, type Result } from "../../command.ts";
import { describeSource } from "../../telemetry-files/bytes.ts";
import { readLines } from "../../telemetry-files/lines.ts";
import { expectCommand } from "./expect.ts";
import { tailCommand } from "./tail.ts";
import { readPlan, type TrackingPlan } from "./tracking-plan.ts";

/** Events that violate the plan in the same way. */
interface Violation {
  readonly event: string;
  readonly problem: string;
  count: number;
  /** The first place: `file, line 3`. */
  readonly first: string;
}

/** Maximum number of different violations. Further ones are counted together. */
const MAX_VIOLATIONS = 1000;

const lintCommand = command({
  path: "telemetry lint",
  summary: "Check recorded telemetry against a tracking plan",
  details:
    "Checks the names, fields and types of all events in NDJSON files, plain or gzip. Each line is the body of one " +
    "POST /api/telemetry request, a single event, or a line of `playtest telemetry tail --json`. A tracking plan is a " +
    'JSON file: `{ "events": { "player_death": { "data": <JSON Schema> } } }`. An event that the plan does not ' +
    'contain is a violation, unless the plan has `"allowOtherEvents": true`. An event with `"required": true` must ' +
    "occur in the files. Exit code 10 means that there are violations.",
  args: [
    { name: "<plan>", describe: "tracking plan (JSON file)" },
    { name: "<file...>", describe: "files to check, or - for standard input" },
  ],
  examples: ["telemetry lint plan.json play.ndjson.gz", "telemetry lint plan.json - < play.ndjson"],
  async run(context, { args }) {
    const [planFile = "", ...files] = args;
    const plan = await readPlan(planFile, context.io);
    const violations = new Map<string, Violation>();
    const seen = new Set<string>();
    let events = 0;
    for (const file of files)
      for await (const { number, text } of readLines(file, context.io)) {
        const place = `${describeSource(file)}, line ${number}`;
        for (const [event, problems] of checkLine(text, plan, seen)) {
          events += 1;
          for (const problem of problems)
            addViolation(violations, { event, problem, count: 1, first: place });
        }
      }
    for (const event of plan.required)
      if (!seen.has(event))
        addViolation(violations, { event, problem: "never occurs", count: 1, first: "the whole recording" });
    return toResult(events, [...violations.values()]);
  },
});

/** Yields each event of a line with its problems. */
function* checkLine(
  text: string,
  plan: TrackingPlan,
  seen: Set<string>,
): Generator<[event: string, problems: string[]]> {
  const events = listEvents(text);
  if (events === null) return yield ["(line)", ["is neither an event nor a telemetry body"]];
  for (const event of events) {
    const { name, data } = (event ?? {}) as { readonly name?: unknown; readonly data?: unknown };
    const fault = findEventFault(event);
    if (typeof name === "string") seen.add(name);
    yield [
      typeof name === "string" ? name : "(event)",
      [...(fault === null ? [] : [fault]), ...(typeof name === "string" ? plan.check(name, data) : [])],
    ];
  }
}

/** The events of a line; null if it has none. */
function listEvents(text: string): unknown[] | null {
  let line: unknown;
  try {
    line = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof line !== "object" || line === null) return null;
  const { events, event, kind, missed, name } = line as Readonly<Record<string, unknown>>;
  if (Array.isArray(events)) return events;
  // Lines of the live tail: an event, a refusal, or a number of missed events.
  if (typeof kind === "string") return event ? [event] : [];
  if (missed !== undefined) return [];
  return name === undefined ? null : [line];
}

function addViolation(violations: Map<string, Violation>, violation: Violation): void {
  const key = JSON.stringify([violation.event, violation.problem]);
  const isNew = !violations.has(key) && violations.size < MAX_VIOLATIONS;
  const rest = { ...violation, event: "(others)", problem: "further violations" };
  const at = isNew || violations.has(key) ? key : "";
  const known = violations.get(at);
  if (known) known.count += violation.count;
  else violations.set(at, at === "" ? rest : violation);
}

const columns = defineColumns<Violation>({
  event: { header: "EVENT", shrink: 2, tone: "strong" },
  problem: { header: "PROBLEM", shrink: 1 },
  count: { header: "EVENTS" },
  first: { header: "FIRST", shrink: 3 },
});

function toResult(events: number, violations: readonly Violation[]): Result {
  const data = { events, violations };
  const table = createTable(violations, columns, `All ${events} events follow the plan.`);
  if (violations.length === 0) return { data, items: violations, table };
  const message = `The telemetry violates the tracking plan: ${violations.length} ${violations.length === 1 ? "problem" : "problems"}, ${events} ${events === 1 ? "event" : "events"} checked`;
  const hint = "Correct the events in the game, or change the plan.";
  return { data, items: violations, table, verdict: { code: "check_failed", message, hint } };
}

export const commands = [tailCommand, lintCommand, expectCommand];
