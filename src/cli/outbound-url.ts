/** URLs of services that data is sent to: checks, and how messages show them. */
import { RefusedAddress, requireAllowed } from "../shared/allowed-addresses.ts";
import { fail } from "./errors.ts";
import { isLoopback } from "./settings.ts";

interface OutboundUrl {
  /** What messages call the URL, such as `--url "..."`. It must not contain secrets. */
  readonly label: string;
  /** What the URL is for, such as `model URL`. */
  readonly name: string;
  readonly example: string;
  /** What would be sent unencrypted. */
  readonly content: string;
  readonly allowHttp: boolean;
}

/** Parses a URL. Throws `usage` if it is invalid, its address is not allowed, or its content would be sent unencrypted. */
export function parseOutboundUrl(
  text: string,
  { label, name, example, content, allowHttp }: OutboundUrl,
): URL {
  if (!URL.canParse(text))
    throw fail("usage", { message: `${label} is not a URL`, hint: `Use a URL such as ${example}.` });
  const url = new URL(text);
  try {
    requireAllowed(url, name);
  } catch (error) {
    if (!(error instanceof RefusedAddress)) throw error;
    throw fail("usage", { message: `${label} cannot be used: ${error.message}`, cause: error });
  }
  if (url.protocol === "http:" && !isLoopback(url.hostname) && !allowHttp) {
    throw fail("usage", {
      message: `${label} would send ${content} unencrypted`,
      hint: "Use https, or add --allow-http to accept the risk.",
    });
  }
  return url;
}

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
