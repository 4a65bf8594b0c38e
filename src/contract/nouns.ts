/** The kinds of names in requests, and the commands and tools that list existing names. */

export interface NounKind {
  /** The command that lists the names; null if there is none. */
  readonly command: string | null;
  /** The tool that lists the names; null if there is none. */
  readonly tool: string | null;
  /** True if the name is a secret, which messages must not contain. */
  readonly secret?: true;
}

export const nouns = {
  game: { command: "games list", tool: "list_games" },
  session: { command: "sessions list", tool: "list_sessions" },
  build: { command: "builds list", tool: "list_sessions (metadata.gameVersion)" },
  device: { command: "handles list", tool: "list_handles" },
  batch: { command: "batches list", tool: "list_batches" },
  experiment: { command: "experiments list", tool: "list_game_experiments" },
  form: { command: null, tool: "list_game_feedback_forms" },
  claimToken: { command: null, tool: null, secret: true },
} as const satisfies Readonly<Record<string, NounKind>>;

export type Noun = keyof typeof nouns;

/** Returns where the names of a noun are listed. */
export function nounKind(noun: Noun): NounKind {
  return nouns[noun];
}
