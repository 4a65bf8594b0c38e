/** What the calls of the clients cost a game, with each client that runs without its engine. */
import { spawn } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { transform } from "esbuild";
import { execa } from "execa";
import { median } from "./measure.ts";

const root = join(import.meta.dirname, "..");
const clients = join(root, "clients");
const tests = join(root, "test");
const folder = mkdtempSync(join(tmpdir(), "playtest-clients-"));

interface Cost {
  readonly trackUs: number;
  readonly positionUs: number;
  readonly frameMs: number;
  readonly positionBytes?: number;
}

/** Prepares the program of a client, and returns its command. */
const programs: Readonly<Record<string, () => Promise<readonly string[]>>> = {
  async TypeScript() {
    const { code } = await transform(readFileSync(join(clients, "typescript", "playtest.ts"), "utf8"), {
      loader: "ts",
    });
    writeFileSync(join(folder, "package.json"), '{"type":"module"}');
    writeFileSync(join(folder, "playtest.js"), code);
    copyFileSync(join(tests, "clients", "player.js"), join(folder, "player.js"));
    return [process.execPath, join(folder, "player.js")];
  },
  async "Unity (mono)"() {
    const player = join(folder, "player.exe");
    await execa("mcs", [
      ...["-langversion:7", "-optimize", `-out:${player}`, join(clients, "unity", "Playtest.cs")],
      join(tests, "engines", "Player.cs"),
    ]);
    return ["mono", player];
  },
  async "Godot 3"() {
    const project = join(folder, "godot3");
    mkdirSync(project);
    writeFileSync(join(project, "project.godot"), "config_version=4\n");
    copyFileSync(join(clients, "godot3", "playtest.gd"), join(project, "playtest.gd"));
    copyFileSync(join(tests, "engines", "player3.gd"), join(project, "player.gd"));
    return ["godot3-server", "--path", project, "-s", "player.gd"];
  },
};

/** A service that confirms everything. */
async function startService(): Promise<{ url: string; stop(): void }> {
  const server = createServer(async (request, response) => {
    for await (const _chunk of request);
    response.setHeader("content-type", "application/json");
    response.end('{"sessionId":"sess_1","accepted":1,"duplicates":0,"rejected":[]}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url, stop };
}

async function measureCost(
  name: string,
  [program = "", ...args]: readonly string[],
  url: string,
): Promise<Cost> {
  const queue = mkdtempSync(join(folder, "queue-"));
  const child = spawn(program, [...args, "cost", url, "pt_ik_bench", queue, "none"], {
    env: { ...process.env, HOME: folder, LANG: "en_US.UTF-8" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  for await (const chunk of child.stdout) output += chunk;
  const [, cost] = /cost: (.*)$/m.exec(output) ?? [];
  if (!cost) throw new Error(`The client ${name} printed no cost: ${output}`);
  return JSON.parse(cost);
}

const ROUNDS = 3;
export async function benchClients(quick: boolean): Promise<void> {
  const service = await startService();
  console.log("\n## Clients\n");
  console.log("| client | `track` | skipped `position` | further time in a frame of a burst of 10,000 |");
  console.log("| --- | --- | --- | --- |");
  for (const [name, prepare] of Object.entries(programs)) {
    const command = await prepare();
    const costs: Cost[] = [];
    for (let round = 0; round < (quick ? 1 : ROUNDS); round += 1)
      costs.push(await measureCost(name, command, service.url));
    const pick = (field: keyof Cost) => median(costs.map((cost) => cost[field] ?? 0));
    const bytes = costs[0]?.positionBytes === undefined ? "" : `, ${pick("positionBytes")} bytes`;
    console.log(
      `| ${name} | ${pick("trackUs").toFixed(1)} µs | ${pick("positionUs").toFixed(2)} µs${bytes} | ${pick("frameMs").toFixed(1)} ms |`,
    );
  }
  service.stop();
}
