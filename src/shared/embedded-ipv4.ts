/** The IPv4 addresses inside IPv6 addresses: a router on the way may connect to them instead. */

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

/** Finds every IPv4 address that an IPv6 address (without a zone) may contain. */
export function findEmbeddedIpv4(ipv6: string): string[] {
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
