/** The C++ client for Unreal, compiled against declarations of the engine. It is not run: that requires the engine. */
import { join } from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";
import { requireProgram } from "../require-program.ts";

const source = join(import.meta.dirname, "..", "..", "clients", "unreal", "Playtest.cpp");

test("the C++ client compiles against declarations of the engine", async () => {
  await requireProgram("g++", "g++");
  const stubs = join(import.meta.dirname, "unreal-stubs");
  const argv = ["-std=c++17", "-Wall", "-Werror", "-fsyntax-only", "-I", stubs, source];
  const { exitCode, all } = await execa("g++", argv, { all: true, reject: false });
  expect([exitCode, all]).toEqual([0, ""]);
});
