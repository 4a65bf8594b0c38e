import { expect, it } from "vitest";
import type { ResultMessage } from "../../../src/server/workers/messages.ts";
import { runWorker } from "../../../src/server/workers/run-worker.ts";

it("does no task for a service of another version, because the files were updated while that runs", async () => {
  let receive = (_message: unknown) => {};
  const result = new Promise<ResultMessage>((resolve) => {
    runWorker({
      receive: (listener) => {
        receive = listener;
      },
      send: resolve,
    });
  });
  receive({ database: "play.db", version: "0.0.1" });
  receive({ task: "read", input: {}, now: 0 });
  const message = expect.stringMatching(/still runs version 0\.0\.1, but \S+ is installed\. Restart it/);
  expect(await result).toEqual({ error: expect.objectContaining({ message, code: "ECONNREFUSED" }) });
});
