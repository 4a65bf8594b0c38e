/** Renders the body of a webhook request in each format. */
import { renderCommitStatus } from "./commit-status.ts";
import { type BodyFormat, type Tone, toLine, type WebhookMessage } from "./message.ts";

/** The hosts of incoming webhooks that need a special format. */
const formatsByHost: Readonly<Record<string, BodyFormat>> = {
  "hooks.slack.com": "slack",
  "hooks.slack-gov.com": "slack",
  "discord.com": "discord",
  "discordapp.com": "discord",
  "ptb.discord.com": "discord",
  "canary.discord.com": "discord",
};

/** The format that the host of a URL expects. */
export function detectFormat(url: URL): BodyFormat {
  return formatsByHost[url.hostname] ?? "json";
}

/** Renders the body, which is always JSON. */
export function renderBody(format: BodyFormat, message: WebhookMessage): string {
  return JSON.stringify(renderers[format](message));
}

const renderers: Readonly<Record<BodyFormat, (message: WebhookMessage) => object>> = {
  json: ({ type, timestamp, data }) => ({ type, timestamp: new Date(timestamp).toISOString(), data }),
  slack: renderSlack,
  discord: renderDiscord,
  "github-status": renderCommitStatus,
};

/** The most lines of a message, and the longest title, in characters after escaping. Discord allows 256. */
const MAX_LINES = 6;
const MAX_TITLE = 250;
/** The longest line after escaping. Slack allows 3,000 characters for the title and all lines, Discord 4,096 for the lines. */
const MAX_SLACK_LINE = 440;
const MAX_DISCORD_LINE = 580;

/** A text on one line, with each character escaped. It ends early rather than with half an escape. */
function escapeLine(text: string, maxLength: number, escapeCharacter: (character: string) => string): string {
  let escaped = "";
  for (const character of toLine(text)) {
    const next = escaped + escapeCharacter(character);
    if (next.length >= maxLength) return `${escaped}…`;
    escaped = next;
  }
  return escaped;
}

/**
 * A message for Slack. `verbatim` stops Slack from turning names and URLs into mentions and links.
 * https://docs.slack.dev/reference/block-kit/composition-objects/text-object
 */
function renderSlack({ title, lines, command }: WebhookMessage): object {
  const heading = escapeSlack(title, MAX_TITLE);
  const facts = lines.slice(0, MAX_LINES).map((line) => escapeSlack(line, MAX_SLACK_LINE));
  const hint = command === null ? [] : [`\`${escapeSlack(command, MAX_SLACK_LINE)}\``];
  const toText = (text: string) => ({ type: "mrkdwn", text, verbatim: true });
  return {
    text: heading,
    blocks: [
      { type: "section", text: toText([`*${heading}*`, ...facts].join("\n")) },
      ...hint.map((text) => ({ type: "context", elements: [toText(text)] })),
    ],
  };
}

/** Slack's only escapes are entities, so characters that would format text become similar ones. */
const slackEscapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  "*": "∗",
  "~": "∼",
  "`": "ˋ",
};

/** Escapes text for Slack's mrkdwn. An underscore within a word, as in an id, formats nothing and stays. */
function escapeSlack(text: string, maxLength: number): string {
  const plain = text.replace(/(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, "＿");
  return escapeLine(plain, maxLength, (character) => slackEscapes[character] ?? character);
}

/** Colors of embeds. */
const colors: Readonly<Record<Tone, number>> = { good: 0x2e7d32, bad: 0xc62828, neutral: 0x546e7a };

/** A message for Discord, which mentions nobody: https://discord.com/developers/docs/resources/message */
function renderDiscord({ title, lines, command, tone }: WebhookMessage): object {
  const facts = lines.slice(0, MAX_LINES).map((line) => escapeDiscord(line, MAX_DISCORD_LINE));
  const hint = command === null ? [] : [`\`${toLine(command).replaceAll("`", "ˋ")}\``];
  return {
    embeds: [
      {
        title: escapeDiscord(title, MAX_TITLE),
        description: [...facts, ...hint].join("\n"),
        color: colors[tone],
      },
    ],
    allowed_mentions: { parse: [] },
  };
}

/** Escapes text for Discord's Markdown, which shows an escaped punctuation mark as it is, and makes no link of an escaped URL. */
function escapeDiscord(text: string, maxLength: number): string {
  return escapeLine(text, maxLength, (character) => character.replace(/[!-/:-@[-`{-~]/, "\\$&"));
}
