/** The groups of endpoints in the OpenAPI document. */
export const openApiTags = {
  games: "Games of an account, with their experiments, feedback forms and event config.",
  sessions: "A session is one sitting of one player: its events, metadata, feedback and insights.",
  insights: "Insights are the results of the analysis of sessions: friction, praise and bug reports.",
  "bug-reports": "Bug reports are what players send from a form inside the game.",
  builds: "A build is a version of a game. Get its totals and suggestions, or compare two builds.",
  testers: "Testers are the people who play, identified by a device id or a handle.",
  heatmaps: "Heatmaps show where players were in each room.",
  events: "Counts of the telemetry events of a game.",
  batches: "A playtest batch is a set of playtest keys that are handed out together.",
  handles: "A tester handle is the name of a tester in one game. It can be linked to a device.",
  experiments: "An experiment is an A/B test that gives each device one of several variants.",
  telemetry: "Endpoints for game clients. They require an ingest key.",
  webhooks: "Endpoints that other services call, and the webhooks that the service calls.",
} as const;

export type OpenApiTag = keyof typeof openApiTags;
