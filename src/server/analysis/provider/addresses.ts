/** Addresses of models: loopback, private and public ones are reached; link-local and metadata ones never. */
import { lookup as resolve } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";

/**
 * Where machines of a cloud are told their own secrets: 169.254.0.0/16 and fe80::/10 (link-local, with the metadata of
 * most clouds), and the published metadata addresses of AWS and Google (IPv6), Alibaba, Oracle and Azure; then the
 * forms in which IPv6 carries the IPv4 ones.
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
  ["fd00:ec2::254", 128],
  ["fd20:ce::254", 128],
  ["::a9fe:0", 112],
  ["64:ff9b::a9fe:0", 112],
  ["2002:a9fe::", 32],
] as const) {
  blockedAddresses.addSubnet(net, bits, "ipv6");
}

/** An address that is not to be asked. */
export class RefusedAddress extends Error {
  override readonly name = "RefusedAddress";
}

/** Whether an IP address is one that is never asked; a name is none. */
export function isRefused(address: string): boolean {
  const [plain = ""] = address.split("%");
  const family = isIP(plain);
  return family !== 0 && blockedAddresses.check(plain, family === 4 ? "ipv4" : "ipv6");
}

/** Throws RefusedAddress for a URL that is not http(s), carries credentials, or names a refused address outright. */
export function requireAllowed(url: URL): void {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new RefusedAddress(`${url.protocol} is no address of a model: use http or https`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new RefusedAddress("An address with a user or password in it is not asked");
  }
  if (isRefused(host)) throw new RefusedAddress(`${host} is link-local or a metadata address`);
}

/** Resolves a name, and fails where any of its addresses is refused: what was checked is what is connected to. */
export const guardedLookup: LookupFunction = (hostname, options, done) => {
  resolve(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return done(error, "");
    const bad = addresses.find(({ address }) => isRefused(address));
    if (bad) return done(new RefusedAddress(`${hostname} is ${bad.address}, which is never asked`), "");
    const [first] = addresses;
    return options.all ? done(null, addresses) : done(null, first?.address ?? "", first?.family);
  });
};
