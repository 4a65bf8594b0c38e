/** Tests of admin forms and admin event-config, checked with responses of the service. */
import { expect, test } from "vitest";
import { type AdminFixture, setUpAdminFixture } from "./admin-fixture.ts";

let fixture: AdminFixture;
setUpAdminFixture((made) => {
  fixture = made;
});

/** Runs a command on ember that must succeed. Returns its JSON. */
async function run(...argv: string[]) {
  const { code, err, json } = await fixture.run([...argv, "--game", "ember"]);
  expect([code, err]).toEqual([0, ""]);
  return json;
}

async function keyOf(): Promise<string> {
  return (await fixture.run(["keys", "rotate", "--yes"])).json.key;
}

const FUN = "fun!:rating-1-5:Was it fun: yes?";

test("creates, lists and changes forms", async () => {
  await fixture.run(["games", "create", "ember"]);
  const { form } = await run("forms", "create", "End", "--field", FUN, "--field", "why:long-text:Why?");
  expect(form).toEqual({
    id: expect.stringMatching(/^ff_/),
    name: "End",
    fields: [
      { id: "fun", label: "Was it fun: yes?", kind: "rating-1-5", required: true },
      { id: "why", label: "Why?", kind: "long-text" },
    ],
    triggerHint: "session_end",
    active: true,
    responseCount: 0,
  });
  const changed = await run("forms", "set", form.id, "--active", "off", "--trigger", "boss_down");
  expect(changed.form).toEqual({ ...form, active: false, triggerHint: "boss_down" });
  expect((await run("forms", "set", form.id, "--name", "Fin")).form).toMatchObject({
    name: "Fin",
    active: false,
  });
  const { forms } = await run("forms", "list");
  expect(forms).toEqual([{ ...changed.form, name: "Fin" }]);
  const key = await keyOf();
  await fixture.withService(async (service) => {
    expect((await service.get("/api/v1/games/ember/prompts", { key })).json.forms).toEqual(forms);
  });
  expect(await fixture.show(["forms", "list", "--game", "ember"])).toMatch(/^NAME +ID [\s\S]*\nFin +ff_/);
});

test.each([
  ["no field", [], "A form must have at least one field"],
  ["a field that is none", ["--field", "fun"], "is not id:kind:question"],
  ["an unknown kind", ["--field", "fun:stars:Fun?"], 'Unknown kind "stars" of field "fun"'],
  ["two of one id", ["--field", "a:yes-no:A?", "--field", "a:yes-no:B?"], 'Two fields have the id "a"'],
])("rejects a form with %s, and stores nothing", async (_, argv, message) => {
  await fixture.run(["games", "create", "ember"]);
  const { code, err } = await fixture.run(["forms", "create", "End", ...argv, "--game", "ember"]);
  expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  expect((await run("forms", "list")).forms).toEqual([]);
});

test("an unknown form is not found", async () => {
  await fixture.run(["games", "create", "ember"]);
  const { code, err } = await fixture.run(["forms", "set", "ff_0", "--active", "on", "--game", "ember"]);
  expect([code, err]).toEqual([44, expect.stringContaining("No form ff_0")]);
});

test("event-config set keeps other settings, and list shows all", async () => {
  await fixture.run(["games", "create", "ember"]);
  const set = async (...argv: string[]) => (await run("event-config", "set", ...argv)).event;
  await set("wiped", "--sdk-ignore", "on", "--meaning", "failure");
  const event = {
    name: "wiped",
    sdkIgnore: true,
    linkToSummary: false,
    hideFromAi: true,
    meaning: "failure",
  };
  expect(await set("wiped", "--hide-from-ai", "on")).toEqual(event);
  const other = await set("boost", "--link-to-summary", "on");
  expect((await run("event-config", "list")).events).toEqual([other, event]);
  expect(await set("wiped", "--meaning", "none", "--sdk-ignore", "off")).toEqual({
    ...event,
    sdkIgnore: false,
    meaning: null,
  });
  expect((await set("boost", "--sample-rate", "0.25")).sampleRate).toBe(0.25);
  expect(await set("boost", "--sample-rate", "0")).toEqual({ ...other, sampleRate: 0 });
  expect(await set("boost", "--sample-rate", "1")).toEqual(other);
  const key = await keyOf();
  await fixture.withService(async (service) => {
    expect((await service.get("/api/v1/games/ember/event-config", { key })).json.events).toEqual({
      wiped: { sdkIgnore: false, linkToSummary: false, hideFromAi: true },
      boost: { sdkIgnore: false, linkToSummary: true, hideFromAi: false },
    });
  });
  expect(await fixture.show(["event-config", "list", "--game", "ember"])).toMatch(/^EVENT +IGNORED BY SDKS/);
});

test("event-config set rejects invalid event names and unknown meanings", async () => {
  await fixture.run(["games", "create", "ember"]);
  for (const argv of [["x".repeat(121)], ["wiped", "--meaning", "sadness"], ["wiped", "--sdk-ignore", "yes"]])
    expect((await fixture.run(["event-config", "set", ...argv, "--game", "ember"])).code).toBe(2);
  expect((await run("event-config", "list")).events).toEqual([]);
});

test("event-config set-room keeps other settings, and list-rooms shows all", async () => {
  await fixture.run(["games", "create", "ember"]);
  const set = async (...argv: string[]) => (await run("event-config", "set-room", ...argv)).room;
  const room = { room: "tower", plane: "xz", floors: [], sentPlane: null };
  expect(await set("tower", "--plane", "xz")).toEqual(room);
  const floors = [
    [-1.5, 3],
    [3, 6],
  ];
  expect(await set("tower", "--floors=-1.5..3,3..6")).toEqual({ ...room, floors });
  expect((await run("event-config", "list-rooms")).rooms).toEqual([{ ...room, floors }]);
  expect(await fixture.show(["event-config", "list-rooms", "--game", "ember"])).toContain("-1.5..3, 3..6");
  expect(await set("tower", "--plane", "auto", "--floors", "none")).toEqual({ ...room, plane: null });
});

test.each([
  [["--floors", "3..0"], '"3..0" is not a range'],
  [["--floors", "0..3,2..5"], "2..5 begins below the end of the floor before it"],
  [["--floors", "0..3..4"], "is not a range"],
  [["--floors", "0.."], "is not a range"],
  [["--plane", "yz"], "yz"],
  [[], "Nothing to set"],
])("event-config set-room rejects %j", async (flags, message) => {
  await fixture.run(["games", "create", "ember"]);
  const { code, err } = await fixture.run(["event-config", "set-room", "tower", ...flags, "--game", "ember"]);
  expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  expect((await run("event-config", "list-rooms")).rooms).toEqual([]);
});
