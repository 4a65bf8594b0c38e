/** Every read command in every format, on the demo studio: JSON is the service's own answer, the rest is made for its reader. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCli, type TestService } from "../harness.ts";
import { startDemo } from "./demo.ts";

let service: TestService;
let device: string;
beforeAll(async () => {
  service = await startDemo();
  device = (await service.get("/api/v1/sessions/sess_60a4b40e8e35dd6dd4cf3168")).json.session.deviceId;
});
afterAll(() => service.stop());

const run = async (line: string, options: Parameters<typeof runCli>[1] = {}) =>
  await runCli(line.replace("DEVICE", device).split(" "), { service, ...options });

const out = async (line: string, options: Parameters<typeof runCli>[1] = {}) => {
  const { code, out: text, err } = await run(line, options);
  expect([code, err.replace(/^Showing .*\n/, "")]).toEqual([0, ""]);
  return text;
};

/** Each read command, and the request it stands for. */
const reads: [line: string, path: string][] = [
  ["games list", "games"],
  ["games get ember", "games/ember"],
  ["sessions list -g ember --limit 3", "sessions?game=ember&limit=3"],
  [
    "sessions list --status analyzed --source unity-telemetry -q HOLLOW --env production --offset 2 --limit 2",
    "sessions?status=analyzed&source=unity-telemetry&q=HOLLOW&env=production&offset=2&limit=2",
  ],
  ["sessions get sess_60a4b40e8e35dd6dd4cf3168", "sessions/sess_60a4b40e8e35dd6dd4cf3168"],
  [
    "insights list -g ember --type difficulty-spike --limit 4",
    "insights?game=ember&type=difficulty-spike&limit=4",
  ],
  [
    "insights list --build 0.8.0 --sentiment negative --limit 2",
    "insights?build=0.8.0&sentiment=negative&limit=2",
  ],
  ["builds get 0.9.0 -g ember", "builds/ember/0.9.0"],
  ["builds compare 0.8.0 0.9.0 -g ember", "builds/compare?game=ember&a=0.8.0&b=0.9.0"],
  [
    "builds compare previous latest -g ember --env production",
    "builds/compare?game=ember&a=0.8.0&b=0.9.0&env=production",
  ],
  ["testers get DEVICE -g ember", "testers/ember/DEVICE"],
  ["heatmap -g ember --build 0.9.0", "heatmaps/ember?build=0.9.0"],
  [
    "events -g ember --from 2020-01-01 --to 1772366400000",
    "events/ember?from=1577836800000&to=1772366400000",
  ],
];

describe.each(reads)("%s", (line, path) => {
  const asked = async () =>
    await service.get(`/api/v1/${path.replace("DEVICE", encodeURIComponent(device))}`);

  test("--json is the service's answer, in one line", async () => {
    const answer = await asked();
    expect(answer.status).toBe(200);
    expect(await out(`${line} --json`)).toBe(`${answer.text}\n`);
    expect(await out(`${line} --format json`)).toBe(`${answer.text}\n`);
  });

  test("--json at a terminal is the same, indented", async () => {
    const text = await out(`${line} --json`, { tty: true });
    expect(text).toBe(`${JSON.stringify((await asked()).json, null, 2)}\n`);
  });

  test("ndjson holds the same items, one a line", async () => {
    const lines = (await out(`${line} --format ndjson`)).split("\n");
    expect(lines.pop()).toBe("");
    const { json } = await asked();
    const lists = Object.values(json).filter(Array.isArray);
    const items: unknown[] = lists.length === 1 ? (lists[0] ?? []) : [json];
    // Pairs are for a program of one call; a line should name what it holds.
    const named = items.map((item) => (Array.isArray(item) ? { name: item[0], count: item[1] } : item));
    expect(lines.map((one) => JSON.parse(one))).toEqual(named.slice(0, lines.length));
    expect(lines.length).toBe(line.startsWith("events") ? Math.min(20, named.length) : named.length);
  });

  test("--jq works on the answer", async () => {
    expect(JSON.parse(await out(`${line} --jq .`))).toEqual((await asked()).json);
  });

  test("csv and tsv have as many fields in every record", async () => {
    for (const [format, delimiter] of [
      ["csv", ","],
      ["tsv", "\t"],
    ] as const) {
      const [head = "", ...rows] = (await out(`${line} --format ${format}`)).slice(0, -1).split("\n");
      const count = (text: string) => text.replace(/"([^"]|"")*"/g, "").split(delimiter).length;
      expect(rows.map(count)).toEqual(rows.map(() => count(head)));
      expect(rows.length).toBeGreaterThan(0);
    }
  });

  test("md is tables, the further ones under their titles", async () => {
    const [first = "", ...more] = (await out(`${line} --format md`)).trimEnd().split(/\n## .*\n\n/);
    for (const table of [first, ...more]) {
      const lines = table.trimEnd().split("\n");
      expect(lines[1]).toMatch(/^\|( -+:? \|)+$/);
      expect(lines.every((one) => one.startsWith("| ") && one.endsWith(" |"))).toBe(true);
    }
    expect(more.length > 0).toBe(line.startsWith("sessions get"));
  });

  test("the table fits a terminal, says more when wide, and draws nothing when plain", async () => {
    const narrow = await out(line, { tty: true, columns: 100 });
    for (const one of narrow.split("\n")) expect(one.length).toBeLessThanOrEqual(100);
    expect((await out(`${line} --wide`)).length).toBeGreaterThanOrEqual((await out(line)).length);
    expect(await out(`${line} --plain`, { tty: true, colors: 3 })).not.toMatch(/[\u2500-\u259f\x1b]/);
  });
});
