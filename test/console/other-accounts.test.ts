/** Pages show nothing of other accounts: their names lead to the same page as names that do not exist. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { allPages } from "../../src/console/all-pages.ts";
import type { TestService } from "../harness.ts";
import { makeWorld, type World } from "../server/sample-requests.ts";
import { type Names, parameterValue, pathOf } from "./addresses.ts";
import { signIn, startConsole, visit } from "./harness.ts";
import { toNames } from "./world-names.ts";

let service: TestService;
let own: Names;
let foreign: Names;
let cookie: string;
/** What only the other account has. */
let secrets: string[];

beforeAll(async () => {
  service = await startConsole();
  own = toNames(await makeWorld(service, service, "own"));
  const world: World = await makeWorld(service, await service.addAccount("others"), "foreign");
  foreign = toNames(world);
  secrets = [...new Set([...Object.values(foreign), world.gameId, "foreign"])].filter(
    (secret) => !Object.values(own).includes(secret),
  );
  await service.addGame("second");
  cookie = await signIn(service);
});

afterAll(async () => {
  await service.stop();
  expect(service.faults).toEqual([]);
});

/** Opens a page and its JSON. Expects a status, and nothing of the other account except what the address has. */
async function expectNothing(address: string, status: readonly number[]): Promise<void> {
  const shown = decodeURIComponent(address.replaceAll("+", " "));
  for (const one of [address, `${address}${address.includes("?") ? "&" : "?"}format=json`]) {
    const { status: actual, text } = await visit(service, one, { cookie });
    const leaked = secrets.filter((secret) => text.includes(secret) && !shown.includes(secret));
    expect([one, status.includes(actual) ? status[0] : actual, leaked]).toEqual([one, status[0], []]);
  }
}

describe.each(allPages.map((page) => [page.path, page] as const))("%s", (path, page) => {
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);

  test("is complete for the own account", async () => {
    const { status, text } = await visit(service, pathOf(page, own), { cookie });
    expect([status, secrets.filter((secret) => text.includes(secret))]).toEqual([200, []]);
  });

  test.runIf(parameters.length > 0)("is not there for names of another account", async () => {
    await expectNothing(pathOf(page, foreign), [404]);
    if (parameters.length < 2) return;
    await expectNothing(pathOf(page, { ...own, game: foreign.game }), [404]);
    await expectNothing(pathOf(page, { ...foreign, game: own.game }), [404]);
  });

  test.runIf(parameters.length > 1)("is not there in another game", async () => {
    await expectNothing(pathOf(page, { ...own, game: "second" }), [404]);
  });

  test("shows nothing for parameters that name what another account has", async () => {
    for (const name of Object.keys(page.query.shape)) {
      const value = parameterValue(name, foreign);
      await expectNothing(`${pathOf(page, own)}?${name}=${encodeURIComponent(value)}`, [200, 400, 404]);
    }
  });

  test("asks for a key without a session, whatever it is about", async () => {
    for (const names of [own, foreign]) {
      const { status, text } = await visit(service, pathOf(page, names));
      expect([status, text.includes("Management key")]).toEqual([401, true]);
    }
  });
});
