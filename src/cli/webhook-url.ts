/** The URLs of webhooks, whose paths and queries often contain a secret. */
import { parseOutboundUrl } from "./outbound-url.ts";

/** A URL of a webhook without its path, query and credentials. */
export function showWebhookUrl(text: string): string {
  if (!URL.canParse(text)) return "…";
  const { origin, pathname, search } = new URL(text);
  const shown = origin === "null" ? "" : origin;
  return pathname === "/" && search === "" ? shown : `${shown}/…`;
}

/** Parses the URL of a webhook. Throws `usage` with `flag` if it cannot be used. */
export function parseWebhookUrl(text: string, flag: string, allowHttp: boolean): URL {
  return parseOutboundUrl(text, {
    label: `${flag} ${JSON.stringify(showWebhookUrl(text))}`,
    name: "webhook URL",
    example: "https://hooks.example.com/playtest",
    content: "the events and texts of testers",
    allowHttp,
  });
}
