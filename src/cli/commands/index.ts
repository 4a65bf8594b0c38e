/** The command groups: their summaries, and how each is loaded when it is needed. */
import type { Resource } from "../../contract/resource.ts";
import type { Command } from "../command.ts";
import type { CommandGroup } from "../program.ts";

interface LazyGroup {
  readonly summary: string;
  load(): Promise<{ readonly commands: readonly Command[] }>;
}

/** All groups by name, under the headings of the help and in its order. */
export const groupsByHeading: Readonly<Record<string, Readonly<Record<string, LazyGroup>>>> = {
  "See what players did": {
    status: {
      summary: "Show what happened in the latest build of a game",
      load: () => import("./status/index.ts"),
    },
    games: { summary: "List and show games", load: () => import("./games/index.ts") },
    sessions: { summary: "List and show playtest sessions", load: () => import("./sessions/index.ts") },
    insights: {
      summary: "List insights from the session analysis",
      load: () => import("./insights/index.ts"),
    },
    feedback: {
      summary: "List what testers answered to feedback forms",
      load: () => import("./feedback/index.ts"),
    },
    "bug-reports": {
      summary: "List and show the bug reports that players sent from the game",
      load: async () => deriveCommands((await import("../../contract/bug-reports.ts")).bugReports),
    },
    crashes: { summary: "List crashes by stack signature", load: () => import("./crashes/index.ts") },
    testers: {
      summary: "List and show testers, their journeys, retention and archetypes",
      load: () => import("./testers/index.ts"),
    },
    handles: {
      summary: "List tester handles (the names testers go by)",
      load: async () => deriveCommands((await import("../../contract/handles.ts")).handles),
    },
    heatmap: {
      summary: "Draw heatmaps of player positions by room",
      load: () => import("./heatmap/index.ts"),
    },
    events: { summary: "Count events by name or over time", load: () => import("./events/index.ts") },
    funnel: {
      summary: "Count the testers who reach each of several steps",
      load: () => import("./funnel/index.ts"),
    },
  },
  "Compare and decide": {
    builds: { summary: "List, show and compare builds", load: () => import("./builds/index.ts") },
    gate: {
      summary: "Fail a CI job when friction is new or worse in a build",
      load: () => import("./gate/index.ts"),
    },
    explain: {
      summary: "Explain a row, an insight, an exit code or a word of an answer",
      load: () => import("./explain/index.ts"),
    },
    report: {
      summary: "Write a report on the changes between two builds",
      load: () => import("./report/index.ts"),
    },
    experiments: {
      summary: "List experiments and compare their variants",
      load: () => import("./experiments/index.ts"),
    },
  },
  "Move data": {
    export: { summary: "Export datasets to files", load: () => import("./export/index.ts") },
    ingest: {
      summary: "Send telemetry and chat threads to the service",
      load: () => import("./ingest/index.ts"),
    },
    telemetry: {
      summary: "Watch and check the telemetry that a game sends",
      load: () => import("./telemetry/index.ts"),
    },
    batches: {
      summary: "Show playtest batches: their playtest keys and invites",
      load: () => import("./batches/index.ts"),
    },
    api: { summary: "Send a GET request to any API path", load: () => import("./api.ts") },
    mcp: { summary: "Serve the API to AI assistants (MCP)", load: () => import("./mcp/index.ts") },
  },
  "Set up and run": {
    login: { summary: "Log in to a service and store a key", load: () => import("./login.ts") },
    logout: { summary: "Remove stored keys", load: () => import("./logout.ts") },
    profiles: { summary: "List profiles", load: () => import("./profiles.ts") },
    config: { summary: "Read and change settings", load: () => import("./config/index.ts") },
    doctor: {
      summary: "Check settings, keys and the service, and suggest fixes",
      load: () => import("./doctor/index.ts"),
    },
    completion: { summary: "Print a shell completion script", load: () => import("./completion.ts") },
    server: { summary: "Run and manage a service on this machine", load: () => import("./server/index.ts") },
    admin: {
      summary: "Administer a local database (not a remote service)",
      load: () => import("./admin/index.ts"),
    },
  },
};

export const lazyGroups: Readonly<Record<string, LazyGroup>> = Object.fromEntries(
  Object.values(groupsByHeading).flatMap((groups) => Object.entries(groups)),
);

/** The group of a list whose commands are all derived from its definition. */
async function deriveCommands(resource: Resource): ReturnType<LazyGroup["load"]> {
  const { createResourceCommands } = await import("./resource-commands.ts");
  return { commands: createResourceCommands(resource) };
}

export async function loadGroups(names: readonly string[]): Promise<CommandGroup[]> {
  return await Promise.all(
    names.map(async (name) => {
      const group = lazyGroups[name];
      if (!group) throw new RangeError(`No group ${name}`);
      const { commands } = await group.load();
      return { name, summary: group.summary, commands };
    }),
  );
}
