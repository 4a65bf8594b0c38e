/** playtest only connects to what the user configured: no telemetry to its developers, and no search for updates. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { playtest, startServer } from "../cli/program.ts";
import { freshFolder } from "../harness.ts";

const recorder = pathToFileURL(join(import.meta.dirname, "record-connections.mjs")).href;

/** Records the connections of processes with this environment, and of the processes that they start. */
function startRecording() {
  const file = join(freshFolder(), "connections.txt");
  const read = () => (existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : []);
  return {
    env: { NODE_OPTIONS: `--import=${recorder}`, PLAYTEST_RECORDED_CONNECTIONS: file },
    /** The number of processes that were recorded. */
    processes: () => read().filter((line) => line === "PROCESS").length,
    /** What they connected to, without duplicates. */
    targets: () => [...new Set(read().filter((line) => !/^(PROCESS|THREAD)$/.test(line)))],
  };
}

const recorded = (url: string) => `TCPCONNECTWRAP ${new URL(url).host}`;

/** A server with the demo, and what it connects to. */
const recordedServer = startRecording();
let demo: Awaited<ReturnType<typeof startServer>>;
beforeAll(async () => {
  const flags = ["--demo", "--port", "0", "--limits", "off", "--metrics", "--log-format", "json"];
  demo = await startServer(flags, { env: recordedServer.env });
});
afterAll(() => void demo.child.kill("SIGKILL"));

test("commands only connect to the configured service", async () => {
  const { ready } = demo;
  const home = freshFolder();
  const events = [{ id: "e1", name: "jump", timestamp: 1_772_000_000_000 }];
  writeFileSync(
    join(home, "play.ndjson"),
    `${JSON.stringify({ gameId: "ember", clientSessionId: "file", events })}\n`,
  );
  const recording = startRecording();
  const env = {
    ...recording.env,
    HOME: home,
    XDG_CONFIG_HOME: home,
    XDG_STATE_HOME: home,
    PLAYTEST_BASE_URL: ready.url,
    PLAYTEST_KEY: ready.managementKey,
    PLAYTEST_INGEST_KEY: ready.ingestKey,
    PLAYTEST_GAME: "ember",
  };
  const run = async (line: string, exitCodes: readonly number[] = [0]) => {
    const before = recording.processes();
    const result = await playtest(line === "" ? [] : line.split(" "), { env, cwd: home, input: "" });
    expect([line, exitCodes.includes(result.exitCode ?? -1), result.stderr]).toEqual([
      line,
      true,
      result.stderr,
    ]);
    expect(recording.processes()).toBeGreaterThan(before);
  };

  // Commands that need no service.
  for (const line of ["--version", "--help", "builds --help", "completion bash", "config list", "profiles"])
    await run(line);
  await run("server exec -- true");
  await run("server status");
  expect(recording.targets()).toEqual([]);

  const reading = [
    "",
    "doctor",
    "games list",
    "sessions list --all",
    "insights list",
    "builds get latest",
    "events",
  ];
  for (const line of reading) await run(line);
  await run("builds compare previous latest");
  await run("gate previous latest", [0, 10, 11]);
  await run("heatmap --build 0.9.0 --room furnace --out rooms.png");
  await run("report previous latest --out report.html");
  await run("export events --out events.ndjson --unpaced");
  await run("ingest telemetry play.ndjson", [0, 12]);
  await run("mcp");
  expect(recording.targets()).toEqual([recorded(ready.url)]);
});

test("a server connects to no host while it stores and analyzes telemetry", async () => {
  const { child, ready } = demo;
  const read = async (path: string) =>
    await (
      await fetch(`${ready.url}${path}`, { headers: { authorization: `Bearer ${ready.managementKey}` } })
    ).text();
  await read("/metrics");
  await read("/api/v1/builds/compare?game=ember&a=0.8.0&b=0.9.0");
  // The built-in model answers without a network.
  await expect
    .poll(async () => JSON.parse(await read("/api/v1/sessions?status=analyzed")).total)
    .toBeGreaterThan(100);
  child.kill("SIGTERM");
  expect((await child).exitCode).toBe(0);
  // The server, a worker for reads and, if it had anything to do after the start, one for the background.
  expect([2, 3]).toContain(recordedServer.processes());
  expect(recordedServer.targets()).toEqual([]);
});

test("a completion refreshes its names from the configured service only", async () => {
  const { ready } = await startServer(["--create-game", "ember", "--port", "0"]);
  const recording = startRecording();
  const env = {
    ...recording.env,
    PLAYTEST_BASE_URL: ready.url,
    PLAYTEST_KEY: ready.managementKey,
    PLAYTEST_GAME: "ember",
  };
  await playtest(["__complete", "builds", "--", "playtest", "builds", "get", ""], { env });
  // The refresh is a separate process.
  await expect.poll(recording.targets).toEqual([recorded(ready.url)]);
  expect(recording.processes()).toBe(2);
});

test("the recording contains another host, and the name that is looked up for it", async () => {
  const recording = startRecording();
  const argv = ["games", "list", "--max-wait", "0", "--allow-http"];
  const env = { ...recording.env, PLAYTEST_KEY: "k" };
  await playtest(argv, { env: { ...env, PLAYTEST_BASE_URL: "http://127.0.0.2:9" } });
  expect(recording.targets()).toEqual(["TCPCONNECTWRAP 127.0.0.2:9"]);
  await playtest(argv, { env: { ...env, PLAYTEST_BASE_URL: "http://localhost:9" } });
  expect(recording.targets()).toContain("GETADDRINFOREQWRAP localhost");
});
