/** The groups of the OpenAPI document, and what each is about. */
export const openApiTags = {
  games: "What an account owns",
  sessions: "One sitting of one player",
  insights: "What the analysis found in sessions",
  builds: "Versions of a game, and what changed between two",
  testers: "Who played, by device or handle",
  heatmaps: "Where players were, room by room",
  events: "How often each event happened",
  batches: "Playtest keys given out together",
  handles: "The names testers go by",
  experiments: "Variants tried against each other",
  telemetry: "What game clients send and ask",
  webhooks: "What other services send",
} as const;

export type OpenApiTag = keyof typeof openApiTags;
