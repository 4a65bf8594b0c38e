/** The overhead of MCP tool calls, compared with the same API requests to the same server. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Agent, request } from "undici";
import { type Case, getMedian, medians, ms, print, ratio, timed } from "./measure.ts";
import { inFolder, plainEnv, program, startDemo } from "./servers.ts";

/** Requests with a small response, a full page, and the largest response. */
const calls = [
  { name: "list_games", path: "/api/v1/games", args: {} },
  {
    name: "list_sessions, 100",
    path: "/api/v1/sessions?game=ember&limit=100",
    args: { game: "ember", limit: 100 },
  },
  { name: "get_heatmap", path: "/api/v1/heatmaps/ember", args: { game: "ember" } },
] as const;

export async function benchMcp(quick: boolean): Promise<void> {
  await inFolder(async (folder) => {
    const server = await startDemo(folder);
    const { url, managementKey } = server;
    const clients = {
      stdio: await overStdio(folder, url, managementKey),
      http: await overHttp(url, managementKey),
    };
    const agent = new Agent();
    const headers = { authorization: `Bearer ${managementKey}` };
    const cases = calls.flatMap(({ name, path, args }): Case[] => {
      const tool = name.split(",")[0] ?? name;
      const call = (client: Client) => timed(() => client.callTool({ name: tool, arguments: args }));
      return [
        {
          name: `${name}: API`,
          run: () =>
            timed(async () => (await request(url + path, { headers, dispatcher: agent })).body.json()),
        },
        { name: `${name}: over stdio`, run: () => call(clients.stdio) },
        { name: `${name}: over HTTP`, run: () => call(clients.http) },
      ];
    });
    const measured = await medians(cases, quick ? 20 : 200, 10);
    const rows = cases.map(({ name }) => {
      const base = getMedian(measured, `${name.split(":")[0]}: API`);
      const took = getMedian(measured, name);
      return [name, ms(took), took === base ? "" : `+${ms(took - base)}`, ratio(took / base)];
    });
    print("Overhead of MCP tool calls", rows);
    await Promise.all([clients.stdio.close(), clients.http.close(), agent.close()]);
    await server.stop();
  });
}

async function overStdio(folder: string, url: string, key: string): Promise<Client> {
  const own = { PLAYTEST_BASE_URL: url, PLAYTEST_KEY: key, XDG_CONFIG_HOME: folder, XDG_STATE_HOME: folder };
  const env = Object.fromEntries(Object.entries(plainEnv(own)).map(([name, value]) => [name, value ?? ""]));
  const client = new Client({ name: "bench", version: "0" });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [program, "mcp"], env }));
  return client;
}

async function overHttp(url: string, key: string): Promise<Client> {
  const headers = { authorization: `Bearer ${key}` };
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } });
  const client = new Client({ name: "bench", version: "0" });
  await client.connect(transport as Parameters<Client["connect"]>[0]);
  return client;
}
