/** All ids of one account with all endpoints and the key of another: they return no data and change nothing. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestService, type TestService } from "../harness.ts";
import { call, eachEndpoint, keyFor, makeWorld, renamed, samples, type World } from "./sample-requests.ts";

let service: TestService;
let own: World;
let foreign: World;
let ids: string[];
let before: string[];

/** Matches ids in any text. */
const ID = /\b(?:user|game|sess|ins|ptb|ptk|tvi|pth|ff|exp|aud)_[0-9a-f]{24}\b/g;

const reads = eachEndpoint("management").filter(([, endpoint]) => endpoint.method === "GET");

/** Returns the responses of all reads to an account about its own data. */
async function readAll(world: World): Promise<string[]> {
  const texts = [];
  for (const [name, endpoint] of reads) {
    // The log of arrivals is written in the background, so two reads of it may differ.
    if (name === "tailTelemetry") continue;
    const answer = await call(service, endpoint, samples[name](world), { key: world.keys.management });
    expect([name, answer.status]).toEqual([name, endpoint.status]);
    // The service counts the testers of open gates in the background.
    const counted = name === "listGates" ? answer.text.replace(/"testers":\d+/g, "") : answer.text;
    texts.push(counted.replace(/"generatedAt":\d+/g, ""));
  }
  return texts;
}

beforeAll(async () => {
  service = await startTestService();
  own = await makeWorld(service, service, "own");
  foreign = await makeWorld(service, await service.addAccount("others"), "foreign");
  before = await readAll(foreign);
  ids = [...new Set(before.flatMap((text) => text.match(ID) ?? []))];
});

afterAll(async () => {
  await service.stop();
  expect(service.faults).toEqual([]);
});

it("tests ids of all kinds", () => {
  const kinds = new Set(ids.map((id) => id.split("_")[0]));
  for (const kind of ["user", "game", "sess", "ins"]) expect(kinds).toContain(kind);
  expect(ids).toEqual(expect.arrayContaining([foreign.gameId, foreign.sessionId]));
});

/** The live tail without refusals: they repeat the ids of earlier requests of the same account. */
function withoutRefusals(text: string): string {
  const { items, ...rest } = JSON.parse(text) as { items?: { kind: string }[] };
  return JSON.stringify({ ...rest, items: items?.filter(({ kind }) => kind !== "refusal") });
}

describe.each(eachEndpoint())("%s", (name, endpoint) => {
  it("returns no data of another account for any of its ids", async () => {
    const key = keyFor(endpoint, own.keys);
    const { params, query, body = {} } = samples[name](own);
    const texts = Object.keys(body).filter((field) => typeof body[field] === "string");
    const fields = [
      ...new Set([...Object.keys(endpoint.params.shape), ...Object.keys(endpoint.query.shape), ...texts]),
    ];
    for (const field of fields) {
      for (const id of [...ids, foreign.slug, foreign.version]) {
        const answer = await call(
          service,
          endpoint,
          renamed({ ...samples[name](own), params, query }, endpoint, field, id),
          {
            key,
          },
        );
        // The response may repeat the input, for example the environment.
        const text = name === "tailTelemetry" ? withoutRefusals(answer.text) : answer.text;
        const leaked = [...ids, foreign.slug].filter((one) => one !== id && text.includes(one));
        expect([field, id, leaked, answer.status < 500]).toEqual([field, id, [], true]);
      }
    }
  });

  it("lists all parameters of its path under names", () => {
    const { names } = samples[name](own);
    expect(Object.keys(names)).toEqual(expect.arrayContaining(Object.keys(endpoint.params.shape)));
  });
});

it("did not change the other account", async () => {
  expect(await readAll(foreign)).toEqual(before);
});
