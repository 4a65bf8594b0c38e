/** The C++ client for Unreal, compiled against declarations of the engine. It is not run: that requires the engine. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { beforeAll, expect, test } from "vitest";
import { freshFolder } from "../harness.ts";
import { requireProgram } from "../require-program.ts";

const client = join(import.meta.dirname, "..", "..", "clients", "unreal");
const flags = [
  "-std=c++17",
  "-Wall",
  "-Werror",
  "-I",
  join(import.meta.dirname, "unreal-stubs"),
  "-I",
  client,
];

beforeAll(() => requireProgram("g++", "g++"));

const compile = (...argv: string[]) => execa("g++", [...flags, ...argv], { all: true, reject: false });

test("the C++ client compiles against declarations of the engine", async () => {
  const { exitCode, all } = await compile("-fsyntax-only", join(client, "Playtest.cpp"));
  expect([exitCode, all]).toEqual([0, ""]);
});

test("values keep their type: a text of any kind is no bool", async () => {
  const out = join(freshFolder(), "overloads.s");
  // Optimization inlines `Set`, so that each function contains the calls into the engine.
  const source = join(import.meta.dirname, "unreal-overloads.cpp");
  const { exitCode, all } = await compile("-O3", "-S", "-o", out, source);
  expect([exitCode, all]).toEqual([0, ""]);
  const [, ...functions] = readFileSync(out, "utf8").split(/^_Z\d+(?=Set\w+R13FPlaytestData:)/m);
  const calls = functions.map((text) => [
    ...[/^Set[A-Z][a-z]+/.exec(text)?.[0]],
    ...new Set(text.match(/(?<=FJsonObject\d+)Set\w+?Field/g)),
  ]);
  expect(calls).toEqual([
    ["SetTexts", "SetStringField"],
    ["SetNumbers", "SetNumberField"],
    ["SetBools", "SetBoolField"],
  ]);
});
