/** Flags of the console: whether it is served, and the proxy that signs people in. */
import type { ConsoleSettings } from "../../../server/http/console.ts";
import { isNetwork } from "../../../server/http/trusted-identity.ts";
import { fail } from "../../errors.ts";
import { type FlagValues, list, negated, text } from "../../flags.ts";

export const consoleFlags = {
  console: negated("--no-console", "serve only the API, and no pages for people"),
  trustIdentityHeader: text(
    "--trust-identity-header <name>",
    "let the proxies of --trusted-proxy sign people in; this header names them, such as X-Forwarded-User",
  ),
  trustedProxies: list(
    "--trusted-proxy <address>",
    "address or network of a proxy that signs people in (repeatable)",
  ),
} as const;

/** Headers that browsers and proxies send by themselves, so that everybody would be signed in. */
const SENT_BY_EVERYBODY =
  /^(accept|authorization|cache-control|connection|cookie|forwarded|host|origin|pragma|referer|user-agent|via|x-forwarded-(for|host|port|proto)|x-real-ip)$|^(accept|content|sec)-/i;

/** The settings of the console; undefined if it is turned off. Throws `usage` for a proxy without a header, or the reverse. */
export function toConsoleSettings(flags: FlagValues<typeof consoleFlags>): ConsoleSettings | undefined {
  const { trustIdentityHeader: header, trustedProxies: proxies } = flags;
  if (header === undefined && proxies.length === 0) return flags.console ? { identity: null } : undefined;
  if (!flags.console) {
    throw fail("usage", {
      message: "--no-console cannot be combined with --trust-identity-header and --trusted-proxy",
      hint: "A proxy can only sign people in to the console. Leave out --no-console, or the other two flags.",
    });
  }
  if (header === undefined || proxies.length === 0) {
    throw fail("usage", {
      message: "--trust-identity-header and --trusted-proxy require each other",
      hint: "Without the address of the proxy, anybody could send the header. Give both, or neither.",
    });
  }
  if (!/^[\w-]{1,64}$/.test(header) || SENT_BY_EVERYBODY.test(header)) {
    throw fail("usage", {
      message: `--trust-identity-header ${JSON.stringify(header)} is not a header that names a person`,
      hint: "Use the header in which the proxy names the person, such as X-Forwarded-User.",
    });
  }
  const invalid = proxies.find((proxy) => !isNetwork(proxy));
  if (invalid !== undefined) {
    throw fail("usage", {
      message: `--trusted-proxy ${JSON.stringify(invalid)} is not an IP address or network`,
      hint: "Use an address such as 10.0.0.5, or a network such as 10.0.0.0/24.",
    });
  }
  return { identity: { header, proxies } };
}
