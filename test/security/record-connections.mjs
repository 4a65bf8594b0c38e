/**
 * Loaded with `node --import`: appends what a process connects to, sends to or looks up to PLAYTEST_RECORDED_CONNECTIONS.
 * The hook sees the requests of Node to the operating system, so no library can bypass it.
 */
import { createHook } from "node:async_hooks";
import { appendFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

const file = process.env.PLAYTEST_RECORDED_CONNECTIONS;
const REQUESTS = new Set([
  "TCPCONNECTWRAP",
  "UDPSENDWRAP",
  "GETADDRINFOREQWRAP",
  "GETNAMEINFOREQWRAP",
  "QUERYWRAP",
]);

createHook({
  init(_id, type, _trigger, request) {
    if (!REQUESTS.has(type)) return;
    // Node sets the target after it has created the request.
    queueMicrotask(() => {
      const { address, hostname, host, port } = request;
      appendFileSync(file, `${type} ${hostname ?? host ?? address}${port ? `:${port}` : ""}\n`);
    });
  },
}).enable();

// A hook only sees its own thread, and `--import` loads this file in every thread.
appendFileSync(file, isMainThread ? "PROCESS\n" : "THREAD\n");
