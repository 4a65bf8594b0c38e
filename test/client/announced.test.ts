/** Extensions that a service announces, and services that have only the API document. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type Announced,
  announces,
  type ClientOptions,
  callEndpoint,
  createClient,
} from "../../src/client/client.ts";
import type { Transport } from "../../src/client/transport.ts";
import { formatExtensions, parseExtensions } from "../../src/contract/announcement.ts";
import { getBuildFacts } from "../../src/contract/build-facts.ts";
import { listGames } from "../../src/contract/games.ts";
import { listInsights } from "../../src/contract/insights.ts";
import { withoutExtensions } from "../document-service.ts";
import { BASE_URL, createAppTransport, startTestService, type TestService } from "../harness.ts";

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await service.addGame("ember");
});
afterAll(() => service.stop());

/** The options of a client, and the paths that it requests. */
function connect(wrap: (transport: Transport) => Transport = (transport) => transport) {
  const paths: string[] = [];
  const transport = wrap(createAppTransport(service.app));
  const announced: Announced = { header: null };
  const options: ClientOptions = {
    ...{ baseUrl: BASE_URL, key: service.keys.management, timeoutMs: 1000, maxWaitMs: 0, announced },
    waiting: { sleep: async () => {}, random: () => 0.5, onWait: () => {} },
    transport: (request) => {
      paths.push(new URL(request.url).pathname);
      return transport(request);
    },
  };
  return { options, paths };
}

describe("a service with extensions", () => {
  it("announces their endpoints and parameters, which are read once", async () => {
    const { options, paths } = connect();
    expect(await announces(options, "getBuildFacts")).toBe(true);
    expect(await announces(options, "listInsights?tag")).toBe(true);
    expect(await announces(options, "getBuild")).toBe(false);
    expect(await announces(options, "getNothing")).toBe(false);
    expect(paths).toEqual(["/api/v1/games"]);
  });

  it("needs no request of its own once the games were read", async () => {
    const { options, paths } = connect();
    await createClient({ listGames }, options).listGames();
    expect(await announces(options, "getBuildFacts")).toBe(true);
    expect(paths).toEqual(["/api/v1/games"]);
  });
});

describe("a service that has only the document", () => {
  it("announces nothing", async () => {
    const { options, paths } = connect(withoutExtensions);
    for (const name of ["getBuildFacts", "listInsights?tag"])
      expect(await announces(options, name)).toBe(false);
    expect(paths).toEqual(["/api/v1/games"]);
  });

  it("has no extension endpoints, and ignores extension parameters", async () => {
    const { options } = connect(withoutExtensions);
    const facts = callEndpoint(getBuildFacts, { game: "ember", version: "1" }, options);
    await expect(facts).rejects.toMatchObject({ code: "unsupported" });
    const insights = callEndpoint(listInsights, { game: "ember", tag: "praise:hall" }, options);
    await expect(insights).rejects.toMatchObject({ code: "unsupported" });
    expect((await callEndpoint(listInsights, { game: "ember" }, options)).total).toBe(0);
  });
});

it("reads what it writes", () => {
  const names = [
    { name: "getGame", extension: false, extensions: [] },
    { name: "getFacts", extension: true, extensions: [] },
    { name: "listInsights", extension: false, extensions: ["room", "event"] },
  ];
  const header = formatExtensions(names);
  expect(header).toBe("getFacts,listInsights?room,listInsights?event");
  expect([...parseExtensions(header)]).toEqual(["getFacts", "listInsights?room", "listInsights?event"]);
  expect(parseExtensions(null).size).toBe(0);
});
