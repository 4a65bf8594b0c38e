/** The command groups: their summaries, and how each is loaded when it is needed. */
import type { Resource } from "../../contract/resource.ts";
import type { Command } from "../command.ts";
import type { CommandGroup } from "../program.ts";

interface LazyGroup {
  readonly summary: string;
  load(): Promise<{ readonly commands: readonly Command[] }>;
}

const group = (summary: string, load: LazyGroup["load"]): LazyGroup => ({ summary, load });

/** All groups by name, under the headings of the help and in its order. */
export const groupsByHeading: Readonly<Record<string, Readonly<Record<string, LazyGroup>>>> = {
  "See what players did": {
    status: group("Show what happened in the latest build of a game", () => import("./status/index.ts")),
    games: group("List and show games", () => import("./games/index.ts")),
    sessions: group("List and show playtest sessions", () => import("./sessions/index.ts")),
    insights: group("List insights from the session analysis", () => import("./insights/index.ts")),
    feedback: group("List what testers answered to feedback forms", () => import("./feedback/index.ts")),
    "bug-reports": group("List and show the bug reports that players sent from the game", async () =>
      deriveCommands((await import("../../contract/bug-reports.ts")).bugReports),
    ),
    crashes: group("List crashes by stack signature", () => import("./crashes/index.ts")),
    testers: group(
      "List and show testers, their journeys, retention and archetypes",
      () => import("./testers/index.ts"),
    ),
    handles: group("List tester handles (the names testers go by)", async () =>
      deriveCommands((await import("../../contract/handles.ts")).handles),
    ),
    heatmap: group("Draw heatmaps of player positions by room", () => import("./heatmap/index.ts")),
    events: group("Count events by name or over time", () => import("./events/index.ts")),
    funnel: group("Count the testers who reach each of several steps", () => import("./funnel/index.ts")),
  },
  "Compare and decide": {
    builds: group("List, show and compare builds", () => import("./builds/index.ts")),
    gate: group("Fail a CI job when friction is new or worse in a build", () => import("./gate/index.ts")),
    explain: group(
      "Explain a row, an insight, an exit code or a word of an answer",
      () => import("./explain/index.ts"),
    ),
    report: group("Write a report on the changes between two builds", () => import("./report/index.ts")),
    experiments: group("List experiments and compare their variants", () => import("./experiments/index.ts")),
  },
  "Move data": {
    export: group("Export datasets to files", () => import("./export/index.ts")),
    ingest: group("Send telemetry and chat threads to the service", () => import("./ingest/index.ts")),
    telemetry: group("Watch and check the telemetry that a game sends", () => import("./telemetry/index.ts")),
    batches: group(
      "Show playtest batches: their playtest keys and invites",
      () => import("./batches/index.ts"),
    ),
    api: group("Send a GET request to any API path", () => import("./api.ts")),
    mcp: group("Serve the API to AI assistants (MCP)", () => import("./mcp/index.ts")),
  },
  "Set up and run": {
    login: group("Log in to a service and store a key", () => import("./login.ts")),
    logout: group("Remove stored keys", () => import("./logout.ts")),
    profiles: group("List profiles", () => import("./profiles.ts")),
    config: group("Read and change settings", () => import("./config/index.ts")),
    doctor: group(
      "Check settings, keys and the service, and suggest fixes",
      () => import("./doctor/index.ts"),
    ),
    completion: group("Print a shell completion script", () => import("./completion.ts")),
    server: group("Run and manage a service on this machine", () => import("./server/index.ts")),
    admin: group("Administer a local database (not a remote service)", () => import("./admin/index.ts")),
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
