/** A cheap HTTP client: prepared requests over persistent connections, and responses read by their Content-Length. */
import { connect, type Socket } from "node:net";

/** Sends the requests of each connection sequentially, and all connections concurrently. Rejects on another status. */
export async function sendAll(
  url: string,
  byConnection: readonly (readonly Buffer[])[],
  status: number,
): Promise<void> {
  await Promise.all(byConnection.map((requests) => sendInTurn(url, requests, status)));
}

/** A GET request as bytes. */
export function getRequest(url: string, path: string, key: string): Buffer {
  return Buffer.from(
    `GET ${path} HTTP/1.1\r\nhost: ${new URL(url).host}\r\nauthorization: Bearer ${key}\r\n\r\n`,
  );
}

/** A POST request with a JSON body as bytes. */
export function postRequest(url: string, path: string, key: string, json: string): Buffer {
  const body = Buffer.from(json);
  const head = [
    `POST ${path} HTTP/1.1`,
    `host: ${new URL(url).host}`,
    `authorization: Bearer ${key}`,
    "content-type: application/json",
    `content-length: ${body.length}`,
  ];
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), body]);
}

async function sendInTurn(url: string, requests: readonly Buffer[], status: number): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).setNoDelay();
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once("error", reject);
      socket.once("close", () => reject(new Error(`${url} closed the connection`)));
      exchange(socket, requests, status, resolve, reject);
    });
  } finally {
    socket.removeAllListeners("close").destroy();
  }
}

function exchange(
  socket: Socket,
  requests: readonly Buffer[],
  status: number,
  resolve: () => void,
  reject: (error: Error) => void,
): void {
  let sent = 0;
  let left = 0;
  let head = "";
  const next = () => {
    const request = requests[sent++];
    if (request) socket.write(request);
    else resolve();
  };
  socket.on("data", (bytes) => {
    if (left === 0) {
      head += bytes.toString("latin1");
      const end = head.indexOf("\r\n\r\n");
      if (end < 0) return;
      const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
      const isExpected = head.startsWith(`HTTP/1.1 ${status} `);
      if (!isExpected || length === undefined) return reject(new Error(head));
      left = Number(length) + end + 4 - head.length;
      head = "";
    } else {
      left -= bytes.length;
    }
    if (left === 0) next();
  });
  next();
}
