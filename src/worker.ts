/** The start of a worker: a process of the program that does what a service would wait for. It ends with the service. */
import { runWorker } from "./server/workers/run-worker.ts";

// A terminal sends its signals to all processes. The service decides when its workers end.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});
process.on("disconnect", () => process.exit());
runWorker({
  receive: (listener) => process.on("message", listener),
  send: (message) => process.send?.(message),
});
