/** Addresses of all pages, with every parameter of theirs. */
import type { Page } from "../../src/console/page.ts";

/** Names of what a game has, by the parameters of pages. Each page has its own kind of `id`. */
export type Names = Readonly<Record<string, string>> & {
  readonly game: string;
  readonly build: string;
  /** Another build. */
  readonly before: string;
  readonly tester: string;
  readonly session: string;
  readonly insight: string;
  readonly experiment: string;
  readonly submission: string;
  readonly bugReport: string;
  readonly batch: string;
};

/** What the `id` in the path of a page names. */
const ids: Readonly<Record<string, keyof Names>> = {
  sessions: "session",
  insights: "insight",
  experiments: "experiment",
  feedback: "submission",
  "bug-reports": "bugReport",
  batches: "batch",
};

/** The values of parameters that name nothing of a game. */
const values: Readonly<Record<string, string>> = {
  sort: "version",
  order: "desc",
  offset: "1",
  env: "production",
  metric: "session-length",
  by: "build",
  marks: "deaths",
  registration: "registered",
  y: "flipped",
  plane: "xy",
  paths: "newest",
  floor: "1",
  player: "p1",
  status: "analyzed",
  state: "open",
  source: "unity-telemetry",
  severity: "high",
  type: "difficulty-spike",
  sentiment: "negative",
  q: "e",
  from: "60d",
  to: "2026-02-27",
  lastSeenAfter: "2026-02-01",
  lastSeenBefore: "1d",
};

/** Which name a parameter has, if it is not its own. */
const renamed: Readonly<Record<string, (names: Names) => string>> = {
  a: ({ before }) => before,
  b: ({ build }) => build,
  compare: ({ before }) => before,
  device: ({ tester }) => tester,
  around: ({ insight }) => insight,
  steps: ({ room }) => `room:${room}`,
};

/** The value of a parameter. Throws without one, so that new parameters get theirs. */
export function parameterValue(name: string, names: Names): string {
  const value = renamed[name]?.(names) ?? names[name] ?? values[name];
  if (value === undefined) throw new Error(`The parameter ${name} needs a value`);
  return value;
}

/** The path of a page with values in place of its parameters. */
export function pathOf({ path }: Page, names: Names): string {
  const [, , , list = ""] = path.split("/");
  const all: Record<string, string | undefined> = {
    ...names,
    version: names.build,
    id: names[ids[list] ?? ""],
  };
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = all[name];
    if (value === undefined) throw new Error(`The path ${path} needs a value of ${name}`);
    return encodeURIComponent(value);
  });
}

/** The addresses of a page: without parameters, with each of them alone, and with each of the given combinations. */
export function addressesOf(page: Page, names: Names): string[] {
  const path = pathOf(page, names);
  // The order of sessions is not that of a column.
  const values = path.endsWith("/sessions") ? { ...names, sort: "watch" } : names;
  const alone = Object.keys(page.query.shape).map((name) => withParameters(path, [name], values));
  const together = (combinations[page.path] ?? []).map((list) => withParameters(path, list, values));
  return [path, ...alone, ...together];
}

const withParameters = (path: string, list: readonly string[], names: Names) =>
  `${path}?${new URLSearchParams(Object.fromEntries(list.map((name) => [name, parameterValue(name, names)])))}`;

/** Parameters that mean something else together. */
const combinations: Readonly<Record<string, ReadonlyArray<readonly string[]>>> = {
  "/games/{game}/builds": [
    ["env", "metric"],
    ["env", "tag"],
  ],
  "/games/{game}/compare": [
    ["a", "b"],
    ["a", "b", "env", "sort", "order"],
  ],
  "/games/{game}/heatmap": [
    ["build", "compare"],
    ["build", "compare", "marks"],
    ["build", "compare", "room", "env", "y"],
    ["build", "event"],
  ],
  "/games/{game}/sessions": [["build", "env", "status", "source", "q", "from", "to", "sort", "offset"]],
  "/games/{game}/insights": [["build", "env", "type", "sentiment", "from", "to", "offset"]],
  "/games/{game}/feedback": [["form", "build", "env", "from", "to", "offset"]],
  "/games/{game}/bug-reports": [["build", "env", "severity", "from", "to", "offset"]],
  "/games/{game}/crashes": [["build", "env", "from", "to", "offset"]],
  "/games/{game}/testers": [["build", "env", "lastSeenAfter", "lastSeenBefore", "offset"]],
  "/games/{game}/sessions/{id}": [["event", "offset"]],
  "/games/{game}/funnel": [
    ["steps", "by", "env"],
    ["steps", "build", "env"],
  ],
  "/games/{game}/events": [["build", "env", "from", "to", "sort"]],
};
