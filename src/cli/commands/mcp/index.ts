/** mcp serve: serves the API to assistants. */
import { once } from "node:events";
import { version } from "../../../shared/version.prepared.ts";
import { command } from "../../command.ts";
import { duration, integer } from "../../flags.ts";
import { installCommand, toolFlags } from "./install.ts";

const mcpCommand = command({
  path: "mcp",
  summary: "Serve the API as tools to an assistant, over stdin and stdout",
  details:
    "Assistants start this command themselves after `playtest mcp install` has configured them. Protocol " +
    "messages go to stdout and log messages to stderr. A server started with `playtest server start` offers " +
    "the same tools at /mcp, and more sets of tools at /mcp?toolsets=all.",
  flags: {
    ...toolFlags,
    maxChars: integer("--max-chars <n>", "maximum characters per response (default: 24000)", 2000, 200_000),
    deadline: duration(
      "--deadline <duration>",
      "maximum time per call, including rate limit waits (default: 50s)",
    ),
  },
  examples: ["mcp", "mcp --profile studio", "mcp --toolsets analytics,players"],
  finishesOnSignal: true,
  async run(context, { flags }) {
    const { io } = context;
    const [{ createMcpServer }, { StdioTransport }, { DEFAULT_CHARS }, { DEFAULT_DEADLINE_MS }] =
      await Promise.all([
        import("../../../mcp/server.ts"),
        import("../../../mcp/stdio-transport.ts"),
        import("../../../mcp/tool-result.ts"),
        import("../../../mcp/call-api.ts"),
      ]);
    const client = await context.clientOptions({ keepAlive: true });
    if (io.stdin.isTTY)
      await context.notify(
        "Waiting for messages from an assistant. To let an assistant start this command, run `playtest mcp install`.",
      );
    const server = createMcpServer({
      client,
      allowIngest: flags.allowIngest,
      toolsets: flags.toolsets ?? [],
      maxChars: flags.maxChars ?? DEFAULT_CHARS,
      deadlineMs: flags.deadline || DEFAULT_DEADLINE_MS,
      drawHeatmap: async (heatmap) => {
        const { renderHeatmapPng } = await import("../../image-files/png.ts");
        return await renderHeatmapPng(heatmap);
      },
      report: (message, error) => void context.notify(`error in ${message}: ${formatError(error)}`),
      version,
      now: () => io.now(),
      monotonicNow: () => io.monotonicNow(),
      game: (await context.findGame())?.value ?? null,
    });
    server.onerror = (error) => void context.notify(`error in the MCP protocol: ${formatError(error)}`);
    const transport = new StdioTransport({
      read: () => io.stdin.read(),
      write: (text) => io.out.write(text),
    });
    await server.connect(transport);
    // Assistants close the connection, or ask the process to end.
    if (!io.signal.aborted) await Promise.race([transport.closed, once(io.signal, "abort")]);
    await server.close();
    return { data: undefined };
  },
});

const formatError = (error: unknown) => (error instanceof Error ? error.message : String(error));

export const commands = [mcpCommand, installCommand];
