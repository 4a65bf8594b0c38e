/** Extensions that a service does not offer, and names that it does not know. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { callEndpoint } from "../../src/client/client.ts";
import { readEvents } from "../../src/client/event-stream.ts";
import { getBuildFacts } from "../../src/contract/build-facts.ts";
import { getBuild } from "../../src/contract/builds.ts";
import type { Endpoint } from "../../src/contract/define.ts";
import { listRawEvents } from "../../src/contract/events.ts";
import { listSessionEvents } from "../../src/contract/session-events.ts";
import { tailTelemetry } from "../../src/contract/telemetry-tail.ts";
import { createAppTransport, startTestService, type TestService } from "../harness.ts";
import { script } from "./script.ts";

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await service.addGame("ember");
});
afterAll(() => service.stop());

const waiting = { random: () => 0, onWait: () => {}, sleep: async () => {} };
const options = (transport: ReturnType<typeof createAppTransport>) => ({
  ...{ baseUrl: "http://127.0.0.1:4400", key: service.keys.management, transport, waiting },
  ...{ timeoutMs: 1000, maxWaitMs: 0, signal: new AbortController().signal },
});
const call = (endpoint: Endpoint, input: object, transport = createAppTransport(service.app)) =>
  callEndpoint(endpoint, { ...input }, options(transport));

test.each<[Endpoint, object]>([
  [getBuildFacts, { game: "ember", version: "9.9" }],
  [getBuildFacts, { game: "nosuch", version: "9.9" }],
  [listSessionEvents, { id: "sess_nosuch" }],
  [listRawEvents, { game: "nosuch" }],
])("an unknown name on playtest's own service is not found", async (endpoint, input) => {
  await expect(call(endpoint, input)).rejects.toMatchObject({ code: "not_found", status: 404 });
});

test.each([404, 405])("a %i of another service for an extension is unsupported", async (status) => {
  const { transport } = script({ status, body: { error: "Not found" } });
  const message =
    "This service does not offer GET /api/v1/sessions/{id}/events (list the events of a session in the order in " +
    "which they arrived); it is an extension of playtest's own service";
  await expect(call(listSessionEvents, { id: "sess_1" }, transport)).rejects.toMatchObject({
    ...{ code: "unsupported", status, message },
  });
  await expect(call(getBuild, { game: "ember", version: "1" }, transport)).rejects.not.toMatchObject({
    code: "unsupported",
  });
  const events = readEvents(tailTelemetry, {}, options(transport));
  await expect(events.next()).rejects.toMatchObject({ code: "unsupported" });
});
