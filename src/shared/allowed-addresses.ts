/**
 * Checks the addresses of services that users configure, such as AI models and webhooks: loopback, private and public
 * addresses are allowed, link-local and cloud metadata addresses are not.
 */
import { lookup as resolve } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { findEmbeddedIpv4 } from "./embedded-ipv4.ts";

/**
 * Addresses where cloud machines can read their own credentials: 169.254.0.0/16 and fe80::/10 (link-local, used for
 * metadata by most clouds), and the published metadata addresses of Alibaba, Oracle, Azure, and of AWS, Google and
 * Scaleway (IPv6).
 */
const blockedAddresses = new BlockList();
for (const [net, bits] of [
  ["169.254.0.0", 16],
  ["100.100.100.200", 32],
  ["192.0.0.192", 32],
  ["168.63.129.16", 32],
] as const) {
  blockedAddresses.addSubnet(net, bits, "ipv4");
}
for (const [net, bits] of [
  ["fe80::", 10],
  ["fd00:ec2::", 32],
  ["fd20:ce::254", 128],
  ["fd00:42::42", 128],
] as const) {
  blockedAddresses.addSubnet(net, bits, "ipv6");
}

/** Thrown for an address that requests must not go to. */
export class RefusedAddress extends Error {
  override readonly name = "RefusedAddress";
}

/** Whether an IP address, or an IPv4 address inside it, is refused. Always false for host names. */
export function isRefused(address: string): boolean {
  const [plain = ""] = address.split("%");
  const family = isIP(plain);
  if (family === 0) return false;
  if (family === 4) return blockedAddresses.check(plain, "ipv4");
  const embedded = findEmbeddedIpv4(plain);
  return (
    blockedAddresses.check(plain, "ipv6") || embedded.some((ipv4) => blockedAddresses.check(ipv4, "ipv4"))
  );
}

/**
 * Throws RefusedAddress for a URL that is not http(s), contains credentials, or has a refused address as its host. `name`
 * is what the message calls the URL.
 */
export function requireAllowed(url: URL, name: string): void {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new RefusedAddress(
      `Unsupported scheme ${JSON.stringify(url.protocol)} in the ${name}: use http or https`,
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw new RefusedAddress(`The ${name} must not contain a user name or password`);
  }
  if (isRefused(host))
    throw new RefusedAddress(`${host} is a link-local or metadata address, which is not allowed`);
}

/** Resolves a name, and fails if any of its addresses is refused. The connection uses exactly the checked addresses. */
export const guardedLookup: LookupFunction = (hostname, options, done) => {
  resolve(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return done(error, "");
    const refused = addresses.find(({ address }) => isRefused(address));
    if (refused) {
      const message = `${hostname} resolves to ${refused.address}, a link-local or metadata address, which is not allowed`;
      return done(new RefusedAddress(message), "");
    }
    const [first] = addresses;
    return options.all ? done(null, addresses) : done(null, first?.address ?? "", first?.family);
  });
};
