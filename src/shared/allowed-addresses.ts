/**
 * Checks the addresses of services that users configure, such as AI models and webhooks: loopback, private and public
 * addresses are allowed, link-local and cloud metadata addresses are not.
 */
import { lookup as resolve } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";

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

type Bytes = readonly number[];

/** A prefix of IPv6 addresses, and where IPv4 addresses are behind it (indexes of bytes). */
interface EmbeddingForm {
  readonly prefix: Bytes;
  /** The index of the prefix; 0 unless the form is an interface identifier. */
  readonly at?: number;
  readonly ipv4: readonly Bytes[];
  /** Whether the bits of the address are inverted. */
  readonly inverted?: boolean;
}

const LAST_FOUR = [12, 13, 14, 15];

const embeddingForms: readonly EmbeddingForm[] = [
  // IPv4-compatible, IPv4-mapped and IPv4-translated (RFC 4291, RFC 2765).
  { prefix: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], ipv4: [LAST_FOUR] },
  { prefix: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff], ipv4: [LAST_FOUR] },
  { prefix: [0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0], ipv4: [LAST_FOUR] },
  // NAT64: the well-known prefix (RFC 6052), and the prefixes of local networks (RFC 8215) in each of their lengths.
  { prefix: [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0], ipv4: [LAST_FOUR] },
  {
    prefix: [0, 0x64, 0xff, 0x9b, 0, 1],
    ipv4: [[6, 7, 9, 10], [7, 9, 10, 11], [9, 10, 11, 12], LAST_FOUR],
  },
  // 6to4 (RFC 3056).
  { prefix: [0x20, 0x02], ipv4: [[2, 3, 4, 5]] },
  // Teredo (RFC 4380): the server, and the client with inverted bits.
  { prefix: [0x20, 0x01, 0, 0], ipv4: [[4, 5, 6, 7]] },
  { prefix: [0x20, 0x01, 0, 0], ipv4: [LAST_FOUR], inverted: true },
  // ISATAP (RFC 5214), behind any prefix.
  { prefix: [0x00, 0x00, 0x5e, 0xfe], at: 8, ipv4: [LAST_FOUR] },
  { prefix: [0x02, 0x00, 0x5e, 0xfe], at: 8, ipv4: [LAST_FOUR] },
];

/**
 * Finds every IPv4 address that an IPv6 address (without a zone) may contain: a router on the way may connect to it instead.
 */
function findEmbeddedIpv4(ipv6: string): string[] {
  const bytes = parseIpv6(ipv6);
  return embeddingForms
    .filter(({ prefix, at = 0 }) => prefix.every((byte, index) => bytes[at + index] === byte))
    .flatMap(({ ipv4, inverted = false }) =>
      ipv4.map((indexes) =>
        indexes.map((index) => (inverted ? 255 - (bytes[index] ?? 0) : (bytes[index] ?? 0))).join("."),
      ),
    );
}

/** The 16 bytes of an IPv6 address. URLs normalize its groups to hexadecimal, without dotted decimals. */
function parseIpv6(ipv6: string): Bytes {
  const normalized = new URL(`http://[${ipv6}]`).hostname.slice(1, -1);
  const [before = [], after = []] = normalized
    .split("::")
    .map((part) => part.split(":").filter((group) => group !== ""));
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => "0");
  return [...before, ...zeros, ...after].flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}
