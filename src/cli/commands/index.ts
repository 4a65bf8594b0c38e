/** The groups of commands: what each is for, and how it is loaded once it is called. */
import type { Command } from "../command.ts";
import type { CommandGroup } from "../program.ts";

interface LazyGroup {
  readonly summary: string;
  load(): Promise<{ readonly commands: readonly Command[] }>;
}

/** In the order the help lists them. */
export const lazyGroups: Readonly<Record<string, LazyGroup>> = {
  games: { summary: "The games of the account", load: () => import("./games/index.ts") },
  sessions: { summary: "Sessions of play", load: () => import("./sessions/index.ts") },
  insights: { summary: "What the analysis found", load: () => import("./insights/index.ts") },
  builds: { summary: "Builds, and what changed between two", load: () => import("./builds/index.ts") },
  testers: {
    summary: "Testers: their play, their journeys, their kinds",
    load: () => import("./testers/index.ts"),
  },
  experiments: {
    summary: "Experiments, and how their variants compare",
    load: () => import("./experiments/index.ts"),
  },
  batches: { summary: "Playtest batches, their keys and invites", load: () => import("./batches/index.ts") },
  handles: { summary: "Testers by the names they play under", load: () => import("./handles/index.ts") },
  heatmap: { summary: "Where players were, room by room", load: () => import("./heatmap/index.ts") },
  events: { summary: "How often each event happened", load: () => import("./events/index.ts") },
  gate: { summary: "Fail on friction that a build introduced", load: () => import("./gate/index.ts") },
  report: { summary: "A page of what changed between two builds", load: () => import("./report/index.ts") },
  export: { summary: "Write datasets to files, unattended", load: () => import("./export/index.ts") },
  ingest: { summary: "Send play to the service", load: () => import("./ingest/index.ts") },
  mcp: { summary: "Serve the API to assistants", load: () => import("./mcp/index.ts") },
  api: { summary: "Read any path of the API", load: () => import("./api.ts") },
  login: { summary: "Store a key", load: () => import("./login.ts") },
  logout: { summary: "Remove stored keys", load: () => import("./logout.ts") },
  profiles: { summary: "List profiles of settings and keys", load: () => import("./profiles.ts") },
  config: { summary: "Read and change settings", load: () => import("./config/index.ts") },
  doctor: {
    summary: "Check settings, keys and the service, and tell what to do",
    load: () => import("./doctor/index.ts"),
  },
  completion: { summary: "Completions of your shell", load: () => import("./completion.ts") },
  admin: { summary: "Administer the local service", load: () => import("./admin/index.ts") },
  server: { summary: "The service itself, on this machine", load: () => import("./server/index.ts") },
};

/** Loads the groups of these names. */
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
