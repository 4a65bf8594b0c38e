/** The TypeScript client in Node. test/system/typescript-client.test.ts runs it in a browser. */
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { transform } from "esbuild";
import { beforeAll, describe } from "vitest";
import { freshFolder } from "../harness.ts";
import { describeClient } from "./client-suite.ts";

const root = join(import.meta.dirname, "..", "..");
let player: string;
beforeAll(async () => {
  const folder = freshFolder();
  const source = readFileSync(join(root, "clients", "typescript", "playtest.ts"), "utf8");
  const { code } = await transform(source, { loader: "ts" });
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  writeFileSync(join(folder, "playtest.js"), code);
  player = join(folder, "player.js");
  copyFileSync(join(import.meta.dirname, "player.js"), player);
});

describe("the TypeScript client in Node", () => {
  describeClient({
    source: "typescript-telemetry",
    sdk: "typescript",
    command: () => [process.execPath, player],
    endsOnQuit: false,
    measuresFrames: false,
    compresses: true,
    unknownHost: /ENOTFOUND|EAI_AGAIN/,
  });
});
