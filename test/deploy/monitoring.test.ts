/** The alert rules and the dashboard only use metrics and labels that a server really has. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { startMetrics } from "../../src/server/observability/metrics.ts";
import { NOW, startTestService } from "../harness.ts";
import { createEvents } from "../server/telemetry-helpers.ts";
import { readAlertRules, readDeployFile } from "./deploy-files.ts";

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string }[];
}
interface Dashboard {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly query: unknown }[] };
}

const dashboard = JSON.parse(readDeployFile("grafana/playtest.json")) as Dashboard;

/** The expressions of panels, with the variables of Grafana replaced by values of the same kind. */
const panelExpressions = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => ({
    title: `the panel "${title}"`,
    expr: expr.replaceAll("$__rate_interval", "1m").replaceAll(/\$(job|instance)\b/g, "$1"),
  })),
);
const ruleExpressions = readAlertRules().map(({ alert, expr }) => ({ title: `the alert ${alert}`, expr }));
const expressions = [...panelExpressions, ...ruleExpressions];

/** Prometheus adds these labels to every series of a target, and the metric `up` itself. */
const TARGET_LABELS = ["job", "instance"];

/** The labels of each metric, with the values that the server shows. */
const metrics = new Map<string, Map<string, Set<string>>>([["up", new Map()]]);

beforeAll(async () => {
  const observer = startMetrics();
  const service = await startTestService({
    metrics: observer.scrape,
    dependencies: { now: () => NOW, observer },
  });
  await service.addGame("maze");
  await service.post("/api/telemetry", {
    gameId: "maze",
    clientSessionId: "one",
    sessionEnded: true,
    events: createEvents(["jump"]),
  });
  await service.analysis.drain();
  const { text } = await service.get("/metrics", { key: null });
  await service.stop();
  observer.stop();
  for (const [, name = "", labels = ""] of text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
    const known = metrics.get(name) ?? new Map<string, Set<string>>();
    metrics.set(name, known);
    for (const [, label = "", value = ""] of labels.matchAll(/(\w+)="([^"]*)"/g))
      known.set(label, (known.get(label) ?? new Set()).add(value));
  }
});
afterAll(() => metrics.clear());

const GROUPING = /\b(?:by|without|on|ignoring|group_left)\s*\(([^)]*)\)/g;
/** A metric with its matchers. Functions are followed by a parenthesis, and operators are words of their own. */
const SELECTOR = /(?<![\w.])(?!(?:and|or|unless|bool|offset)\b)([a-z_]\w*)(?!\w|\s*\()(?:\{([^}]*)\})?/g;

/** The metrics and labels that an expression names. promtool checks its syntax (`npm run test:hosting`). */
function readExpression(expr: string) {
  const groupedBy = [...expr.matchAll(GROUPING)]
    .flatMap(([, labels = ""]) => labels.split(","))
    .map((label) => label.trim());
  const series = expr.replace(GROUPING, "").replace(/\[[^\]]*\]/g, "");
  const selectors = [...series.matchAll(SELECTOR)].map(([, metric = "", labels = ""]) => ({
    metric,
    matchers: [...labels.matchAll(/(\w+)(=~|!~|!=|=)"([^"]*)"/g)].map(
      ([, label = "", operator = "", value = ""]) => ({
        label,
        operator,
        value,
      }),
    ),
  }));
  return { selectors, groupedBy: groupedBy.filter((label) => label !== "") };
}

/** What an expression uses that no server has. */
function findUnknown(expr: string): string[] {
  const { selectors, groupedBy } = readExpression(expr);
  const labels = new Set(TARGET_LABELS);
  const unknown: string[] = [];
  for (const { metric, matchers } of selectors) {
    const known = metrics.get(metric);
    if (!known) unknown.push(metric);
    for (const label of known?.keys() ?? []) labels.add(label);
    for (const { label, operator, value } of matchers) {
      if (TARGET_LABELS.includes(label)) continue;
      const values = known?.get(label);
      // Statuses only appear after such a response.
      const isMissing = operator === "=" && label !== "status" && !values?.has(value);
      if (!values || isMissing) unknown.push(`${metric}{${label}${operator}"${value}"}`);
    }
  }
  return [...unknown, ...groupedBy.filter((label) => !labels.has(label))];
}

test.each(expressions)("$title uses metrics, labels and values that a server has", ({ expr }) => {
  expect(findUnknown(expr)).toEqual([]);
});

test.each([
  ["playtest_unknown_total", ["playtest_unknown_total"]],
  ['playtest_events_total{kind="accepted"}', ['playtest_events_total{kind="accepted"}']],
  ['playtest_events_total{result="lost"}', ['playtest_events_total{result="lost"}']],
  ["sum by (endpoint) (playtest_events_total)", ["endpoint"]],
])("the check finds what is unknown in %s", (expr, unknown) => {
  expect(findUnknown(expr)).toEqual(unknown);
});

test("every alert has a severity, a summary and a description", () => {
  expect(ruleExpressions.length).toBeGreaterThan(10);
  for (const rule of readAlertRules())
    expect(rule).toMatchObject({
      labels: { severity: expect.stringMatching(/^(critical|warning)$/) },
      annotations: { summary: expect.any(String), description: expect.any(String) },
    });
});

test("the panels of the dashboard have unique ids and do not overlap", () => {
  expect(panelExpressions.length).toBeGreaterThan(15);
  expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
  const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
  for (const { gridPos } of dashboard.panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
});

test("the variables of the dashboard read metrics that a server has", () => {
  const queries = dashboard.templating.list.flatMap(({ query }) =>
    typeof query === "object" ? [(query as { query: string }).query] : [],
  );
  expect(queries).toHaveLength(2);
  for (const query of queries) {
    const [, selector = "", label = ""] = /^label_values\((.+), (\w+)\)$/.exec(query) ?? [];
    expect([findUnknown(selector.replace("$job", "job")), TARGET_LABELS.includes(label)]).toEqual([[], true]);
  }
});
