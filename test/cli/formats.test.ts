/** Every read command in every format, with the data of the demo studio. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCli, type TestService } from "../harness.ts";
import { startDemo } from "./demo.ts";

let service: TestService;
let device: string;
beforeAll(async () => {
  service = await startDemo();
  device = (await service.get("/api/v1/sessions/sess_5a77d8ee9e5c3c9040fbb3be")).json.session.deviceId;
});
afterAll(() => service.stop());

const run = async (line: string, options: Parameters<typeof runCli>[1] = {}) =>
  await runCli(line.replace("DEVICE", device).split(" "), { service, ...options });

const out = async (line: string, options: Parameters<typeof runCli>[1] = {}) => {
  const { code, out: text, err } = await run(line, options);
  expect([
    code,
    err.replace(/^(Showing .*|All rows:[\s\S]*columns\.|\d+ session summaries[^`]+`[^`]+`\.)\n/gm, ""),
  ]).toEqual([0, ""]);
  return text;
};

/** Each read command, and the request that it sends. */
const reads: [line: string, path: string][] = [
  ["games list", "games"],
  ["games get ember", "games/ember"],
  ["sessions list -g ember --limit 3", "sessions?game=ember&limit=3"],
  [
    "sessions list --status analyzed --source unity-telemetry -q COMPLETED --env production --offset 2 --limit 2",
    "sessions?status=analyzed&source=unity-telemetry&q=COMPLETED&env=production&offset=2&limit=2",
  ],
  ["sessions get sess_5a77d8ee9e5c3c9040fbb3be", "sessions/sess_5a77d8ee9e5c3c9040fbb3be"],
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
  ["heatmap -g ember --build 0.9.0", "heatmaps/ember?build=0.9.0&env=production"],
  [
    "events -g ember --from 2020-01-01 --to 1772366400000",
    "events/ember?env=production&from=1577836800000&to=1772366400000",
  ],
];

describe.each(reads)("%s", (line, path) => {
  const fetchResponse = async () =>
    await service.get(`/api/v1/${path.replace("DEVICE", encodeURIComponent(device))}`);

  test("--json prints the response of the service on one line", async () => {
    const response = await fetchResponse();
    expect(response.status).toBe(200);
    expect(await out(`${line} --json`)).toBe(`${response.text}\n`);
    expect(await out(`${line} --format json`)).toBe(`${response.text}\n`);
  });

  test("--json at a terminal is indented", async () => {
    const text = await out(`${line} --json`, { tty: true });
    expect(text).toBe(`${JSON.stringify((await fetchResponse()).json, null, 2)}\n`);
  });

  test("ndjson prints the same items, one per line", async () => {
    const lines = (await out(`${line} --format ndjson`)).split("\n");
    expect(lines.pop()).toBe("");
    const { json } = await fetchResponse();
    const lists = Object.values(json).filter(Array.isArray);
    const items: unknown[] = lists.length === 1 ? (lists[0] ?? []) : [json];
    // The API returns event counts as pairs, and ndjson as objects.
    const objects = items.map((item) => (Array.isArray(item) ? { name: item[0], count: item[1] } : item));
    expect(lines.map((text) => JSON.parse(text))).toEqual(objects.slice(0, lines.length));
    expect(lines.length).toBe(line.startsWith("events") ? Math.min(20, objects.length) : objects.length);
  });

  test("--jq filters the response", async () => {
    expect(JSON.parse(await out(`${line} --jq .`))).toEqual((await fetchResponse()).json);
  });

  test("csv and tsv have the same number of fields in every record", async () => {
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

  test("md prints tables, with titles from the second one on", async () => {
    const [first = "", ...sections] = (await out(`${line} --format md`)).trimEnd().split(/\n## .*\n\n/);
    for (const table of [first, ...sections]) {
      const lines = table.trimEnd().split("\n");
      expect(lines[1]).toMatch(/^\|( -+:? \|)+$/);
      expect(lines.every((row) => row.startsWith("| ") && row.endsWith(" |"))).toBe(true);
    }
    expect(sections.length > 0).toBe(line.startsWith("sessions get"));
  });

  test("tables fit a terminal, show more with --wide, and have no drawing characters with --plain", async () => {
    const narrow = await out(line, { tty: true, columns: 100 });
    for (const row of narrow.split("\n")) expect(row.length).toBeLessThanOrEqual(100);
    expect((await out(`${line} --wide`)).length).toBeGreaterThanOrEqual((await out(line)).length);
    expect(await out(`${line} --plain`, { tty: true, colors: 3 })).not.toMatch(/[\u2500-\u259f\x1b]/);
  });
});
