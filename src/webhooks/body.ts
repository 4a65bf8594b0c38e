/** Renders the body of a webhook request in each format. */
import { type BodyFormat, type Tone, toLine, type WebhookMessage } from "./message.ts";

/** The hosts of incoming webhooks that need a format of their own. */
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
};

/** The longest title, and the most lines of a message. With `MAX_TEXT`, this stays below the limits of Slack and Discord. */
const MAX_TITLE = 120;
const MAX_LINES = 6;

/**
 * A message for Slack. `verbatim` stops Slack from turning names and URLs into mentions and links.
 * https://docs.slack.dev/reference/block-kit/composition-objects/text-object
 */
function renderSlack({ title, lines, command }: WebhookMessage): object {
  const heading = escapeSlack(toLine(title, MAX_TITLE));
  const facts = lines.slice(0, MAX_LINES).map((line) => escapeSlack(toLine(line)));
  const sections = [`*${heading}*`, ...facts].join("\n");
  const hint = command === null ? [] : [`\`${escapeSlack(toLine(command))}\``];
  const toText = (text: string) => ({ type: "mrkdwn", text, verbatim: true });
  return {
    text: heading,
    blocks: [
      { type: "section", text: toText(sections) },
      ...hint.map((text) => ({ type: "context", elements: [toText(text)] })),
    ],
  };
}

/**
 * Escapes text for Slack's mrkdwn. Entities are the only escapes that it has, so characters that would format text become
 * similar ones. An underscore within a word, as in an id, formats nothing.
 */
function escapeSlack(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("*", "∗")
    .replaceAll("~", "∼")
    .replaceAll("`", "ˋ")
    .replace(/(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, "＿");
}

/** Colors of embeds. */
const colors: Readonly<Record<Tone, number>> = { good: 0x2e7d32, bad: 0xc62828, neutral: 0x546e7a };

/** A message for Discord, which mentions nobody: https://discord.com/developers/docs/resources/message */
function renderDiscord({ title, lines, command, tone }: WebhookMessage): object {
  const facts = lines.slice(0, MAX_LINES).map((line) => escapeDiscord(toLine(line)));
  const hint = command === null ? [] : [`\`${toLine(command).replaceAll("`", "ˋ")}\``];
  return {
    embeds: [
      {
        title: escapeDiscord(toLine(title, MAX_TITLE)),
        description: [...facts, ...hint].join("\n"),
        color: colors[tone],
      },
    ],
    allowed_mentions: { parse: [] },
  };
}

/** Escapes text for Discord's Markdown, which shows an escaped punctuation mark as it is, and makes no link of an escaped URL. */
function escapeDiscord(text: string): string {
  return text.replace(/[!-/:-@[-`{-~]/g, "\\$&");
}
