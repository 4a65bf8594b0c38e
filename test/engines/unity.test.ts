/** The C# client, compiled with mcs and run with mono. Its Unity parts are compiled against stand-ins. */
import { join } from "node:path";
import { execa } from "execa";
import { beforeAll, describe, expect, test } from "vitest";
import { describeClient } from "../clients/client-suite.ts";
import { freshFolder } from "../harness.ts";
import { requireProgram } from "../require-program.ts";

const client = join(import.meta.dirname, "..", "..", "clients", "unity", "Playtest.cs");
/** The oldest version of C# that supported versions of Unity compile. */
const LANGUAGE = "-langversion:7";

let player: string;
beforeAll(async () => {
  await requireProgram("mcs", "mono-mcs");
  await requireProgram("mono", "mono-runtime");
  player = join(freshFolder(), "player.exe");
  await execa("mcs", [
    LANGUAGE,
    "-warnaserror",
    `-out:${player}`,
    client,
    join(import.meta.dirname, "Player.cs"),
  ]);
});

describe("the C# client under mono", () => {
  describeClient({
    source: "unity-telemetry",
    sdk: "unity",
    command: () => ["mono", player],
    endsOnQuit: true,
    measuresFrames: false,
    compresses: true,
    unknownHost: /NameResolutionFailure/,
  });
});

test("a position that is not recorded, and a frame, allocate nothing", async () => {
  const argv = [player, "allocations", "http://127.0.0.1:9", "pt_ik_x", freshFolder(), "none"];
  const { stdout } = await execa("mono", argv);
  expect(stdout).toContain("allocated: 0");
});

test.each([["UNITY_5_3_OR_NEWER"], ["UNITY_5_3_OR_NEWER;UNITY_WEBGL"], ["UNITY_5_3_OR_NEWER;UNITY_EDITOR"]])(
  "the Unity parts compile with %s",
  async (symbols) => {
    const stubs = join(import.meta.dirname, "UnityStubs.cs");
    const out = join(freshFolder(), "unity.dll");
    const argv = [
      LANGUAGE,
      "-warnaserror",
      `-define:${symbols}`,
      "-target:library",
      `-out:${out}`,
      client,
      stubs,
    ];
    const { exitCode, all } = await execa("mcs", argv, { all: true, reject: false });
    expect([exitCode, all]).toEqual([0, ""]);
  },
);

test("the Unity parts report problems of the options, and record vectors and frames", async () => {
  const folder = freshFolder();
  const out = join(folder, "parts.exe");
  const sources = ["UnityStubs.cs", "UnityParts.cs"].map((name) => join(import.meta.dirname, name));
  const argv = [LANGUAGE, "-warnaserror", "-define:UNITY_5_3_OR_NEWER", `-out:${out}`, client, ...sources];
  await execa("mcs", argv);
  const { stdout } = await execa("mono", [out], { cwd: folder });
  const [stopped, error, _header, ...events] = stdout.split("\n");
  expect([stopped, error]).toEqual([
    'stopped: The address "" is not a URL. It must begin with http:// or https://.',
    'error: The address "nowhere" is not a URL. It must begin with http:// or https://.',
  ]);
  const recorded = events.map((line) => JSON.parse(line)).map(({ name, data }) => [name, data]);
  expect(recorded).toEqual([
    ["session_start", expect.anything()],
    ["moved", { from: { x: 1, y: 2.5 }, to: { x: 1, y: -2, z: 3 } }],
    ["built", { on: { x: 4, y: 5 }, at: { x: 4, y: 5, z: 6 } }],
    ["player_pos", { x: 7, y: 8, z: 9, room: "dock", player: "ann" }],
    ["player_pos", { x: 7, y: 8, room: "pier" }],
    // The first of three frames ends what happened before the start. Each stand-in of a frame takes 20 ms.
    ["performance", expect.objectContaining({ room: "dock", frames: [0, 0, 0, 0, 0, 0, 0, 2] })],
    ["session_summary", expect.anything()],
    [undefined, undefined],
  ]);
});
