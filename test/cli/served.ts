/** A test's service over a socket, for programs that run in processes of their own. */
import { listen } from "../../src/server/http/listen.ts";
import { startTestService } from "../harness.ts";

/** Serves an account with one game, `ember`. */
export async function serveStudio() {
  const service = await startTestService();
  await service.addGame("ember");
  const listening = await listen(service.app, { host: "127.0.0.1", port: 0 });
  return {
    url: listening.url,
    keys: service.keys,
    async close() {
      await listening.close();
      await service.stop();
    },
  };
}

export type Served = Awaited<ReturnType<typeof serveStudio>>;
