/** The alert rules in Prometheus: each one fires when it should, and none fires on a healthy service. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { beforeAll, expect, test } from "vitest";
import { stringify } from "yaml";
import { deployFolder, readAlertRules } from "../deploy/deploy-files.ts";
import { freshFolder } from "../harness.ts";
import { requireProgram } from "../require-program.ts";

const rules = join(deployFolder, "prometheus", "playtest-alerts.yaml");

beforeAll(async () => {
  await requireProgram("promtool", "prometheus");
});

/** Series for two hours in steps of a minute, in the notation of promtool. */
type Series = Readonly<Record<string, string>>;
const STEPS = 120;
const constant = (value: number) => `${value}+0x${STEPS}`;
const perMinute = (value: number) => `0+${value}x${STEPS}`;
const target = 'job="playtest", instance="one:4400"';
const requests = (status: number) =>
  `playtest_http_requests_total{${target}, endpoint="sendTelemetry", method="POST", status="${status}"}`;
const bucket = (le: string) =>
  `playtest_http_request_duration_seconds_bucket{${target}, endpoint="sendTelemetry", method="POST", le="${le}"}`;
const analyses = (result: string) => `playtest_analyses_total{${target}, result="${result}"}`;
const events = (result: string) => `playtest_events_total{${target}, result="${result}"}`;

const disk = (name: string) => `playtest_disk_${name}{${target}, folder="database"}`;
const connections = (state: string) => `playtest_database_connections{${target}, state="${state}"}`;
const unanalyzed = `playtest_oldest_unanalyzed_session_seconds{${target}}`;
const webhookFailures = `playtest_webhook_failures_total{${target}, failure="timeout"}`;
const webhookQueue = `playtest_queue_age_seconds{${target}, queue="webhooks"}`;
const drops = `playtest_webhook_deliveries_total{${target}, result="dropped"}`;
const heldUntil = `playtest_retention_held_until_timestamp_seconds{${target}}`;
const NONE = "NaN ".repeat(STEPS).trim();

const modelFailures = `playtest_model_failures_total{${target}, reason="unavailable", status="401"}`;
/** Days before the time 0, because the series end after two hours. */
const longAgo = constant(-200_000);
const oldBackup = { [`playtest_last_backup_timestamp_seconds{${target}}`]: constant(1) };

const healthy: Series = {
  [`up{${target}}`]: constant(1),
  [`playtest_sessions_due{${target}}`]: constant(3),
  [requests(202)]: perMinute(600),
  [requests(503)]: constant(0),
  [bucket("0.5")]: perMinute(600),
  [bucket("5")]: perMinute(600),
  [bucket("+Inf")]: perMinute(600),
  [analyses("analyzed")]: perMinute(20),
  [analyses("failed")]: constant(0),
  [modelFailures]: constant(2),
  [events("accepted")]: perMinute(6000),
  [events("rejected")]: perMinute(6),
  [`playtest_database_bytes{${target}}`]: constant(500),
  [`playtest_database_max_bytes{${target}}`]: constant(1000),
  // promtool begins at the time 0.
  [`playtest_database_damaged{${target}}`]: constant(0),
  [`playtest_database_check_timestamp_seconds{${target}}`]: constant(1),
  [`playtest_backup_interval_seconds{${target}}`]: constant(3600),
  [`playtest_last_backup_timestamp_seconds{${target}}`]: `0+60x${STEPS}`,
  [`playtest_last_backup_verified{${target}}`]: constant(1),
  [heldUntil]: constant(0),
  [disk("free_bytes")]: constant(50),
  [disk("bytes")]: constant(100),
  [`playtest_disk_free_bytes{${target}, folder="backups"}`]: NONE,
  [`playtest_disk_bytes{${target}, folder="backups"}`]: NONE,
  [`playtest_key_expiry_timestamp_seconds{${target}}`]: constant(90 * 86_400),
  [connections("waiting")]: constant(0),
  [unanalyzed]: constant(60),
  [webhookFailures]: constant(2),
  [`playtest_queue_age_seconds{${target}, queue="analysis"}`]: constant(60),
  [webhookQueue]: constant(60),
  [drops]: constant(3),
  [`playtest_limited_requests_total{${target}, scope="ip"}`]: constant(0),
  [`playtest_budget_used_ratio{${target}, budget="events"}`]: constant(0.1),
  [`nodejs_eventloop_lag_p99_seconds{${target}}`]: constant(0.02),
  [`process_resident_memory_bytes{${target}}`]: constant(300_000_000),
  [`process_open_fds{${target}}`]: constant(200),
  [`process_max_fds{${target}}`]: constant(8192),
};

const cases: readonly [alerts: readonly string[], change: Series][] = [
  [[], {}],
  [["PlaytestDown"], { [`up{${target}}`]: constant(0) }],
  [["PlaytestAbsent"], { [`up{${target}}`]: `_x${STEPS}` }],
  [["PlaytestDatabaseUnavailable"], { [`playtest_sessions_due{${target}}`]: NONE }],
  [
    ["PlaytestDatabaseFull", "PlaytestDatabaseAlmostFull"],
    { [`playtest_database_bytes{${target}}`]: constant(1000) },
  ],
  [["PlaytestDatabaseAlmostFull"], { [`playtest_database_bytes{${target}}`]: constant(900) }],
  [["PlaytestDatabaseDamaged"], { [`playtest_database_damaged{${target}}`]: constant(1) }],
  [["PlaytestDatabaseUnchecked"], { [`playtest_database_check_timestamp_seconds{${target}}`]: longAgo }],
  [["PlaytestBackupOld"], { [`playtest_backup_interval_seconds{${target}}`]: constant(60), ...oldBackup }],
  [[], { [`playtest_backup_interval_seconds{${target}}`]: constant(0), ...oldBackup }],
  [["PlaytestBackupFailed"], { [`playtest_last_backup_verified{${target}}`]: constant(0) }],
  [["PlaytestRetentionHeld"], { [heldUntil]: constant(86_400) }],
  [["PlaytestDiskAlmostFull"], { [disk("free_bytes")]: constant(5) }],
  [["PlaytestKeyExpires"], { [`playtest_key_expiry_timestamp_seconds{${target}}`]: constant(6 * 86_400) }],
  [[], { [`playtest_key_expiry_timestamp_seconds{${target}}`]: constant(0) }],
  [["PlaytestConnectionsUsedUp"], { [connections("waiting")]: constant(3) }],
  [["PlaytestSessionUnanalyzed"], { [unanalyzed]: constant(7200) }],
  [["PlaytestErrors", "PlaytestRejectsTelemetry"], { [requests(500)]: perMinute(60) }],
  [["PlaytestErrors"], { [requests(500)]: perMinute(6) }],
  [["PlaytestOverloaded"], { [requests(503)]: perMinute(20) }],
  [["PlaytestSlow"], { [bucket("0.5")]: perMinute(60) }],
  [["PlaytestAnalysisBehind"], { [`playtest_sessions_due{${target}}`]: constant(500) }],
  [["PlaytestAnalysesFail"], { [analyses("failed")]: perMinute(5) }],
  [["PlaytestModelFails"], { [modelFailures]: perMinute(1) }],
  [["PlaytestWebhooksFail"], { [webhookFailures]: perMinute(1) }],
  [["PlaytestWebhooksWait"], { [webhookQueue]: constant(3 * 3600) }],
  [["PlaytestWebhookDrops"], { [drops]: `0x90 1x${STEPS - 91}` }],
  [["PlaytestRefusesEvents"], { [events("rejected")]: perMinute(900) }],
  [["PlaytestRateLimited"], { [`playtest_limited_requests_total{${target}, scope="ip"}`]: perMinute(90) }],
  [["PlaytestBudgetUsed"], { [`playtest_budget_used_ratio{${target}, budget="events"}`]: constant(0.9) }],
  [["PlaytestEventLoopBlocked"], { [`nodejs_eventloop_lag_p99_seconds{${target}}`]: constant(3) }],
  [["PlaytestMemory"], { [`process_resident_memory_bytes{${target}}`]: constant(1_000_000_000) }],
  [["PlaytestFileDescriptors"], { [`process_open_fds{${target}}`]: constant(8000) }],
];

const runPromtool = async (...args: readonly string[]) =>
  await execa("promtool", args, { reject: false, all: true });

test.each([
  ["rules", rules],
  ["config", join(deployFolder, "prometheus", "prometheus.yaml")],
])("Prometheus accepts the %s", async (kind, file) => {
  const { exitCode, all } = await runPromtool("check", kind, file);
  expect([exitCode, all]).toEqual([0, expect.stringContaining("SUCCESS")]);
});

test.each(cases)("only %j fires if the metrics show it", async (alerts, change) => {
  const series = Object.entries({ ...healthy, ...change });
  const firing = alerts.map((name) => ({ labels: `{alertname="${name}"}`, value: 1 }));
  const file = join(freshFolder(), "test.yaml");
  const definition = {
    rule_files: [rules],
    tests: [
      {
        interval: "1m",
        input_series: series.map(([name, values]) => ({ series: name, values })),
        promql_expr_test: [
          {
            expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
            eval_time: "100m",
            exp_samples: firing,
          },
        ],
      },
    ],
  };
  writeFileSync(file, stringify(definition));
  const { exitCode, all } = await runPromtool("test", "rules", file);
  expect([exitCode, all]).toEqual([0, expect.stringContaining("SUCCESS")]);
});

test("every alert has a case", () => {
  const tested = new Set(cases.flatMap(([alerts]) => alerts));
  expect(
    readAlertRules()
      .map(({ alert }) => alert)
      .filter((name) => !tested.has(name)),
  ).toEqual([]);
});
