/** Forwards connections to a Postgres server, like a proxy or a connection pooler. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface Forwarder {
  /** The URL of the same database, through the forwarder. */
  readonly url: string;
  /** Ends all connections, and leads new ones to another server. */
  redirect(url: string): void;
  stop(): Promise<void>;
}

export interface ForwarderOptions {
  /** Whether to drop the startup parameter `options`, as PgBouncer does with `ignore_startup_parameters = options`. */
  readonly dropsOptions?: boolean;
}

export async function startForwarder(
  url: string,
  { dropsOptions = false }: ForwarderOptions = {},
): Promise<Forwarder> {
  let target = new URL(url);
  const sockets = new Set<Socket>();
  const track = (socket: Socket, other: () => Socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => {
      sockets.delete(socket);
      other().destroy();
    });
  };
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    track(client, () => upstream);
    track(upstream, () => client);
    upstream.pipe(client);
    client.once("data", (startup) => {
      upstream.write(dropsOptions ? removeOptions(startup) : startup);
      client.pipe(upstream);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const own = new URL(url);
  own.port = String((server.address() as AddressInfo).port);
  const disconnect = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: own.href,
    redirect(next) {
      target = new URL(next);
      disconnect();
    },
    async stop() {
      disconnect();
      server.close();
      await once(server, "close");
    },
  };
}

/** Size of the length and the protocol version, with which a startup message begins. */
const HEADER_BYTES = 8;

/** Removes the parameter `options` from a startup message, whose parameters are names and values that end with a zero byte. */
function removeOptions(message: Buffer): Buffer {
  const words = message.subarray(HEADER_BYTES).toString("utf8").split("\0");
  const at = words.findIndex((word, index) => index % 2 === 0 && word === "options");
  if (at < 0) return message;
  words.splice(at, 2);
  const body = Buffer.from(words.join("\0"));
  const header = Buffer.from(message.subarray(0, HEADER_BYTES));
  header.writeUInt32BE(HEADER_BYTES + body.length);
  return Buffer.concat([header, body]);
}
