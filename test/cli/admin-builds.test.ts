/** Tests of admin builds: registering, adopting and hiding builds, and the audit of it. */
import { expect, test } from "vitest";
import { DAY_MS } from "../../src/shared/time-units.ts";
import { type AdminFixture, setUpAdminFixture } from "./admin-fixture.ts";

let fixture: AdminFixture;
setUpAdminFixture((made) => {
  fixture = made;
});

const run = (...argv: string[]) => fixture.run(["builds", ...argv, "--game", "ember"]);
const list = async () =>
  (await run("list")).json.builds.map(
    ({ version, status, registeredAt }: { version: string; status: string; registeredAt: number | null }) => [
      version,
      status,
      registeredAt,
    ],
  );

/** Stores a session of a build, received now. */
async function play(...versions: string[]): Promise<void> {
  await fixture.withService(async (service) => {
    const { key } = (await fixture.run(["keys", "create", "--game", "ember"])).json;
    for (const gameVersion of versions)
      await service.post("/api/telemetry", { sessionMetadata: { gameVersion }, events: [] }, { key });
  });
}

test("registers builds in order, also when the clock was set back, and a build only once", async () => {
  await fixture.run(["games", "create", "ember"]);
  const start = fixture.clock.now;
  const first = await run("register", "0.8.0");
  expect([first.code, first.err, first.json.build]).toEqual([
    0,
    "",
    {
      ...{ version: "0.8.0", status: "registered", registeredAt: start },
      ...{ sessionCount: 0, testerCount: 0, lastSeen: null },
    },
  ]);
  fixture.clock.now -= DAY_MS;
  expect((await run("register", "0.9.0")).json.build.registeredAt).toBe(start + 1);
  fixture.clock.now += 3 * DAY_MS;
  expect((await run("register", "0.8.0")).json.build.registeredAt).toBe(start);
  expect(await list()).toEqual([
    ["0.9.0", "registered", start + 1],
    ["0.8.0", "registered", start],
  ]);
});

test("adopts a build as of its first session, and names those that are left", async () => {
  await fixture.run(["games", "create", "ember"]);
  const start = fixture.clock.now;
  await play("0.7.0", "0.8.0");
  fixture.clock.now += DAY_MS;
  const registered = await run("register", "0.9.0");
  expect(registered.err).toContain("2 builds are not registered, and no longer compared by default.");
  expect(registered.err).toMatch(/playtest admin builds adopt 0\.[78]\.0 --game ember/);
  expect((await run("adopt", "0.8.0")).json.build).toMatchObject({ registeredAt: start, sessionCount: 1 });
  expect(await list()).toEqual([
    ["0.9.0", "registered", start + DAY_MS],
    ["0.8.0", "registered", start],
    ["0.7.0", "unregistered", null],
  ]);
  expect([(await run("adopt", "0.9.0")).code, (await run("adopt", "nosuch")).code]).toEqual([0, 44]);
});

test("hides builds and shows them again, and a hidden build stays hidden when it is registered", async () => {
  await fixture.run(["games", "create", "ember"]);
  await play("0.8.9");
  expect((await run("hide", "0.8.9")).json.build.status).toBe("hidden");
  expect((await run("register", "0.8.9")).json.build).toMatchObject({
    status: "hidden",
    registeredAt: fixture.clock.now,
  });
  expect((await run("unhide", "0.8.9")).json.build.status).toBe("registered");
  expect((await run("hide", "nosuch")).code).toBe(44);
  expect(await fixture.show(["builds", "list", "--game", "ember"])).toMatch(
    /^BUILD +STATUS +REGISTERED +SESSIONS +TESTERS +LAST SEEN\n[─ ]+\n0\.8\.9 +registered /,
  );
});

test.each(["unknown", ".", "..", "x".repeat(121), ""])("refuses the version %j", async (version) => {
  await fixture.run(["games", "create", "ember"]);
  const { code, err } = await run("register", version);
  expect([code, err]).toEqual([2, expect.stringContaining("Invalid build version")]);
});

test("refuses to register a version that commands read as something else, but hides it", async () => {
  await fixture.run(["games", "create", "ember"]);
  const { code, err } = await run("register", "latest");
  expect([code, err]).toEqual([2, expect.stringContaining("must not be latest or previous")]);
  await play("latest");
  expect((await run("hide", "latest")).json.build.status).toBe("hidden");
});

test("records each change in the audit, and nothing without a change", async () => {
  await fixture.run(["games", "create", "ember"]);
  for (const verb of ["register", "register", "hide", "unhide"]) {
    await run(verb, "0.9.0");
    fixture.clock.now += 1;
  }
  const { items: changes } = (await fixture.run(["audit", "list"])).json;
  const found = changes.filter(({ action }: { action: string }) => action.startsWith("builds."));
  expect(
    found.map(({ action, detail }: { action: string; detail: object }) => [action, detail]).reverse(),
  ).toEqual(["register", "hide", "unhide"].map((verb) => [`builds.${verb}`, { build: "0.9.0" }]));
});
