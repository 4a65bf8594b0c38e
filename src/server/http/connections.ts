/** What each connection is at, so that bytes that are no HTTP are refused once, and only after what came before them is answered. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { describeParserError, formatRawResponse, refuseVersion } from "./refusals.ts";

/** The requests of one connection. */
interface ConnectionState {
  /** The one whose bytes came last. */
  last: { readonly incoming: IncomingMessage; readonly outgoing: ServerResponse } | null;
  /** Answers that are not wholly sent, in the order of their requests. */
  readonly open: Set<ServerResponse>;
  /** True once a request has come that is the last of the connection. */
  isEnding: boolean;
  /** True once nothing more that arrives is looked at. */
  isRefused: boolean;
}

const connections = new WeakMap<Duplex, ConnectionState>();

function getConnectionState(socket: Duplex): ConnectionState {
  const known = connections.get(socket);
  if (known) return known;
  const made: ConnectionState = { last: null, open: new Set(), isEnding: false, isRefused: false };
  connections.set(socket, made);
  return made;
}

/**
 * Lets in a request that a connection brought, and notes it until its answer is sent. False for what is not to be looked
 * at: a version of HTTP that is not spoken here is refused, and whatever follows it on the connection is passed over.
 */
export function acceptRequest(incoming: IncomingMessage, outgoing: ServerResponse): boolean {
  const connection = getConnectionState(incoming.socket);
  if (connection.isRefused || connection.isEnding) return false;
  connection.last = { incoming, outgoing };
  connection.open.add(outgoing);
  outgoing.once("close", () => connection.open.delete(outgoing));
  // An upgrade that is passed over leaves Node's parser deaf: what follows on the connection would get no answer.
  connection.isEnding = asksForUpgrade(incoming.headers);
  if (connection.isEnding) outgoing.shouldKeepAlive = false;
  if (incoming.httpVersion === "1.1" || incoming.httpVersion === "1.0") return true;
  connection.isRefused = true;
  refuseVersion(outgoing);
  return false;
}

const asksForUpgrade = ({ upgrade, connection = "" }: IncomingMessage["headers"]) =>
  upgrade !== undefined && /\bupgrade\b/i.test(connection);

/** How long a refused client has to read its answer and close its side too, ms. */
const LINGER_MS = 1000;

/**
 * Answers bytes that are no HTTP and closes the connection: what follows on it cannot be told apart any more. Answers of
 * requests before them go first; where the bytes are the body of a request that is answered, nothing more is said.
 */
export function refuseMalformedRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  const connection = getConnectionState(socket);
  // Bytes behind a request that was to be the last: its answer ends the connection.
  const { last, isEnding, isRefused } = connection;
  if (error.code === "HPE_CLOSED_CONNECTION" || isRefused || (isEnding && last?.incoming.complete)) return;
  const broken = last && !last.incoming.complete ? last.outgoing : null;
  if (!socket.writable || error.code === "ECONNRESET") socket.destroy();
  else endConnection(formatRawResponse(...describeParserError(error)), socket, broken);
}

/** Refuses to become a tunnel. */
export function refuseTunnel(_incoming: IncomingMessage, socket: Duplex): void {
  socket.on("error", () => socket.destroy());
  endConnection(
    formatRawResponse(405, "Method not allowed", { allow: "GET, HEAD, POST, DELETE, OPTIONS" }),
    socket,
    null,
  );
}

/** Sends the last bytes of a connection once every answer but `own` is sent; unless `own`, which they stand for, was answered itself. */
function endConnection(bytes: string, socket: Duplex, own: ServerResponse | null): void {
  const connection = getConnectionState(socket);
  connection.isRefused = true;
  const before = [...connection.open].filter((outgoing) => outgoing !== own);
  const end = () => {
    if (own?.headersSent && !own.writableEnded) {
      socket.destroy();
      return;
    }
    socket.end(own?.headersSent ? "" : bytes);
    // Node's own timeouts watch no connection whose parser gave up: one that stays half open would be held for good.
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  };
  let left = before.length;
  if (left === 0) end();
  for (const outgoing of before)
    outgoing.once("close", () => {
      left -= 1;
      if (left === 0) end();
    });
}
