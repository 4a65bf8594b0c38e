/** A test service that listens on a port, for programs in other processes. */
import { listen } from "../../src/server/http/listen.ts";
import { startTestService } from "../harness.ts";

/** Starts a server with one account and the game `ember`. */
export async function startTestServer() {
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

export type TestServer = Awaited<ReturnType<typeof startTestServer>>;
