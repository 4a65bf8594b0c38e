/** What a webhook sends: an event with its data for programs, and a short text for people. */

/** The formats of bodies: the event as JSON, what the incoming webhooks of Slack and Discord accept, or a status of a commit. */
export const bodyFormats = ["json", "slack", "discord", "github-status"] as const;
export type BodyFormat = (typeof bodyFormats)[number];

/** Whether people read the messages in a channel, which must not be flooded. */
export const isChat = (format: BodyFormat): boolean => format === "slack" || format === "discord";

/** Whether an event is good or bad news, which Discord shows as a color. */
export type Tone = "good" | "bad" | "neutral";

/** An event. The texts may contain whatever testers and games sent; each format escapes them. */
export interface WebhookMessage {
  /** The name of the event, such as `session.analyzed`. */
  readonly type: string;
  /** When it happened, unix ms. */
  readonly timestamp: number;
  readonly data: Readonly<Record<string, unknown>>;
  readonly title: string;
  /** Facts, one per line. */
  readonly lines: readonly string[];
  /** The command that shows more, such as `playtest sessions get sess_1`, or null. */
  readonly command: string | null;
  readonly tone: Tone;
}

/** The longest text of a field in a message for people, in characters. */
const MAX_TEXT = 400;

/** A text on one line without control characters, truncated. Formats escape it further. */
export function toLine(text: string, max = MAX_TEXT): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\s]+/gu, " ").trim();
  const characters = [...line];
  return characters.length > max ? `${characters.slice(0, max - 1).join("")}…` : line;
}
