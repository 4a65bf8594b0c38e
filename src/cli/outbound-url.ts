/** Checks the URLs of services that data is sent to: AI models and webhooks. */
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
