/** What a name in a request may stand for, and where people and assistants see the names that exist. */

export interface NounKind {
  /** The command that lists them; null where none does. */
  readonly command: string | null;
  /** The tool that lists them; null where none does. */
  readonly tool: string | null;
  /** True where the name is a secret, which no message repeats. */
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

/** Where the things of a noun are listed. */
export function nounKind(noun: Noun): NounKind {
  return nouns[noun];
}
