/** The words of a command line that name a command. */
import { expect, test } from "vitest";
import { extractWords, followWords } from "../../src/cli/command-words.ts";

const paths = ["sessions", "sessions list", "admin", "admin batches", "admin batches create"];

const follow = (line: string) => {
  const { path, unknown } = followWords(extractWords(line.split(" ")), (longer) => paths.includes(longer));
  return [path, unknown];
};

test.each([
  ["sessions list", "sessions list", null],
  ["-g ember sessions --json list --game=other", "sessions list", null],
  ["sessions --profile list list", "sessions list", null],
  ["admin batches create first", "admin batches create", "first"],
  ["sessions lists", "sessions", "lists"],
  ["list sessions", "", "list"],
  ["sessions -- list", "sessions", null],
  ["--help sessions", "sessions", null],
])("%s", (line, path, unknown) => {
  expect(follow(line)).toEqual([path, unknown]);
});

test("a word after the flag of a command may be its value", () => {
  expect(follow("--tag lost sessions --unknown list")).toEqual(["sessions list", null]);
  expect(follow("sessions list --tag=lost hours")).toEqual(["sessions list", "hours"]);
});
