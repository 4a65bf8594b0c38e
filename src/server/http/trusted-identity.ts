/** People whom a proxy has authenticated. It names them in a header, which only counts if the proxy itself sent the request. */
import { BlockList, isIP } from "node:net";
import { HttpError } from "../../contract/errors.ts";

/** Which proxy is trusted, and where it names the reader. */
export interface IdentitySettings {
  /** The name of the header, such as `X-Forwarded-User`. */
  readonly header: string;
  /** Addresses or networks of the proxies, such as `10.0.0.5` or `10.0.0.0/24`. */
  readonly proxies: readonly string[];
}

/** Whether a text is an address or a network. */
export function isNetwork(text: string): boolean {
  const [address = "", bits, ...rest] = text.split("/");
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The text of a header, whose characters are bytes. Proxies send UTF-8, and old ones Latin-1. */
function decodeName(value: string): string {
  try {
    return utf8.decode(Buffer.from(value, "latin1"));
  } catch {
    return value;
  }
}

export class TrustedIdentity {
  readonly #header: string;
  readonly #proxies = new BlockList();

  /** The proxies must be networks. */
  constructor({ header, proxies }: IdentitySettings) {
    this.#header = header;
    for (const proxy of proxies) {
      const [address = "", bits] = proxy.split("/");
      const family = isIP(address) === 4 ? "ipv4" : "ipv6";
      if (bits === undefined) this.#proxies.addAddress(address, family);
      else this.#proxies.addSubnet(address, Number(bits), family);
    }
  }

  /**
   * The name of the person who sent a request. `peer` is the address at the other end of the connection, never one from a header.
   * Throws `forbidden` if that is not a trusted proxy, or if it names nobody.
   */
  find({ headers }: Request, peer: string): string {
    const [address = ""] = peer.split("%");
    const family = isIP(address);
    if (family === 0 || !this.#proxies.check(address, family === 4 ? "ipv4" : "ipv6"))
      throw new HttpError("forbidden", {
        message: "This server shows its pages only through the proxy that signs people in",
      });
    const name = decodeName(headers.get(this.#header) ?? "").trim();
    if (name === "")
      throw new HttpError("forbidden", { message: `The proxy did not send the header ${this.#header}` });
    return name;
  }
}
