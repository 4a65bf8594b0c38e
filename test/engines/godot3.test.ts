/** The client for Godot 3, run without a window by godot3-server. */
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe } from "vitest";
import { describeClient } from "../clients/client-suite.ts";
import { freshFolder } from "../harness.ts";
import { requireProgram } from "../require-program.ts";

const client = join(import.meta.dirname, "..", "..", "clients", "godot3", "playtest.gd");

let project: string;
beforeAll(async () => {
  await requireProgram("godot3-server", "godot3-server");
  project = freshFolder();
  writeFileSync(join(project, "project.godot"), "config_version=4\n");
  copyFileSync(client, join(project, "playtest.gd"));
  copyFileSync(join(import.meta.dirname, "player3.gd"), join(project, "player.gd"));
});

describe("the client for Godot 3", () => {
  describeClient({
    source: "godot-telemetry",
    sdk: "godot",
    command: () => ["godot3-server", "--path", project, "-s", "player.gd"],
    endsOnQuit: true,
    measuresFrames: true,
    // Godot 3.2 can only send texts.
    compresses: false,
    unknownHost: /the host is unknown/,
    env: (home) => ({
      XDG_DATA_HOME: home,
      XDG_CONFIG_HOME: home,
      XDG_CACHE_HOME: home,
      LANG: "en_US.UTF-8",
    }),
  });
});
