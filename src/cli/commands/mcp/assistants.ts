/** The settings file of each assistant and the format of a server entry in it, according to their documentation. */
import { join } from "node:path";
import type { Io } from "../../io.ts";

/** The command that starts a server. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  /** Absent if no variable is set. */
  readonly env?: Readonly<Record<string, string>>;
}

type HostEnvironment = Pick<Io, "home" | "cwd" | "env"> & { readonly os: string };

export interface Assistant {
  readonly title: string;
  resolveFile(host: HostEnvironment): string;
  /** The key in the file whose value is an object of servers by name. */
  readonly servers: string;
  buildEntry(launch: Launch): object;
  /** True if the file is part of a repository. It must not contain secrets, or paths of this machine. */
  readonly shared: boolean;
  /** What the user must do after the file was written. */
  readonly next: string;
}

const buildPlainEntry = (launch: Launch) => launch;
const common = { servers: "mcpServers", buildEntry: buildPlainEntry, shared: false } as const;

function settingsFolder({ home, os, env }: HostEnvironment): string {
  if (os === "darwin") return join(home, "Library", "Application Support");
  if (os === "win32") return env.APPDATA ?? join(home, "AppData", "Roaming");
  return env.XDG_CONFIG_HOME || join(home, ".config");
}

export const assistants: Readonly<Record<string, Assistant>> = {
  "claude-desktop": {
    ...common,
    title: "Claude Desktop",
    resolveFile: (host) => join(settingsFolder(host), "Claude", "claude_desktop_config.json"),
    // Settings > Developer > Edit Config opens this file.
    next: "Restart Claude Desktop.",
  },
  "claude-code": {
    ...common,
    title: "Claude Code",
    resolveFile: ({ cwd }) => join(cwd, ".mcp.json"),
    buildEntry: (launch) => ({ type: "stdio", ...launch }),
    shared: true,
    next: "Start Claude Code in this folder and approve the server.",
  },
  cursor: {
    ...common,
    title: "Cursor",
    resolveFile: ({ home }) => join(home, ".cursor", "mcp.json"),
    next: "Cursor loads the server automatically and lists it in its settings under MCP.",
  },
  vscode: {
    title: "VS Code",
    servers: "servers",
    shared: false,
    resolveFile: (host) => join(settingsFolder(host), "Code", "User", "mcp.json"),
    buildEntry: (launch) => ({ type: "stdio", ...launch }),
    next: "Run `MCP: List Servers` in VS Code and start the server.",
  },
  windsurf: {
    ...common,
    title: "Windsurf",
    resolveFile: ({ home }) => join(home, ".codeium", "windsurf", "mcp_config.json"),
    next: "Refresh the list of servers in Windsurf.",
  },
  zed: {
    title: "Zed",
    servers: "context_servers",
    shared: false,
    resolveFile: (host) =>
      host.os === "win32"
        ? join(settingsFolder(host), "Zed", "settings.json")
        : join(
            host.os === "darwin" ? join(host.home, ".config") : settingsFolder(host),
            "zed",
            "settings.json",
          ),
    buildEntry: buildPlainEntry,
    next: "Zed loads the server automatically and lists it in the agent panel.",
  },
  gemini: {
    ...common,
    title: "Gemini CLI",
    resolveFile: ({ home }) => join(home, ".gemini", "settings.json"),
    next: "Start Gemini CLI and run `/mcp` to see the server.",
  },
};
