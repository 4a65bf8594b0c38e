/** Where each assistant keeps its servers, and the form of an entry, as their documentation tells. */
import { join } from "node:path";
import type { Io } from "../../io.ts";

/** How a server is started. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  /** Absent where nothing is set. */
  readonly env?: Readonly<Record<string, string>>;
}

type HostEnvironment = Pick<Io, "home" | "cwd" | "env"> & { readonly os: string };

export interface Assistant {
  readonly title: string;
  resolveFile(place: HostEnvironment): string;
  /** The key of the file's object that holds servers by name. */
  readonly servers: string;
  entryOf(launch: Launch): object;
  /** True where the file lies in a repository and is read by others: nothing of this machine may be in it. */
  readonly shared: boolean;
  /** What to do once it is written. */
  readonly next: string;
}

const plain = (launch: Launch) => launch;
const servers = { servers: "mcpServers", entryOf: plain, shared: false } as const;

/** The folder where programs keep their settings. */
function settingsFolder({ home, os, env }: HostEnvironment): string {
  if (os === "darwin") return join(home, "Library", "Application Support");
  if (os === "win32") return env.APPDATA ?? join(home, "AppData", "Roaming");
  return env.XDG_CONFIG_HOME || join(home, ".config");
}

export const assistants: Readonly<Record<string, Assistant>> = {
  "claude-desktop": {
    ...servers,
    title: "Claude Desktop",
    resolveFile: (place) => join(settingsFolder(place), "Claude", "claude_desktop_config.json"),
    // Settings > Developer > Edit Config opens this file.
    next: "Quit Claude Desktop and open it again.",
  },
  "claude-code": {
    ...servers,
    title: "Claude Code",
    resolveFile: ({ cwd }) => join(cwd, ".mcp.json"),
    entryOf: (launch) => ({ type: "stdio", ...launch }),
    shared: true,
    next: "Start Claude Code in this folder and approve the server.",
  },
  cursor: {
    ...servers,
    title: "Cursor",
    resolveFile: ({ home }) => join(home, ".cursor", "mcp.json"),
    next: "Cursor takes it up by itself; its settings list the server under MCP.",
  },
  vscode: {
    title: "VS Code",
    servers: "servers",
    shared: false,
    resolveFile: (place) => join(settingsFolder(place), "Code", "User", "mcp.json"),
    entryOf: (launch) => ({ type: "stdio", ...launch }),
    next: "Run `MCP: List Servers` in VS Code and start it.",
  },
  windsurf: {
    ...servers,
    title: "Windsurf",
    resolveFile: ({ home }) => join(home, ".codeium", "windsurf", "mcp_config.json"),
    next: "Refresh the list of servers in Windsurf.",
  },
  zed: {
    title: "Zed",
    servers: "context_servers",
    shared: false,
    resolveFile: (place) =>
      place.os === "win32"
        ? join(settingsFolder(place), "Zed", "settings.json")
        : join(
            place.os === "darwin" ? join(place.home, ".config") : settingsFolder(place),
            "zed",
            "settings.json",
          ),
    entryOf: plain,
    next: "Zed takes it up by itself; its agent panel lists the server.",
  },
  gemini: {
    ...servers,
    title: "Gemini CLI",
    resolveFile: ({ home }) => join(home, ".gemini", "settings.json"),
    next: "Start Gemini CLI; `/mcp` lists the server.",
  },
};
