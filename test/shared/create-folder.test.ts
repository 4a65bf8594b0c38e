/** Creating folders, with missing parents and parents that cannot have folders. */
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFolder } from "../../src/shared/create-folder.ts";

const fresh = () => mkdtempSync(join(tmpdir(), "playtest-folders-"));

function failure(path: string): NodeJS.ErrnoException | null {
  try {
    createFolder(path);
  } catch (error) {
    return error as NodeJS.ErrnoException;
  }
  return null;
}

describe("createFolder", () => {
  it("creates missing parents with the same permissions, and accepts existing folders", () => {
    const root = fresh();
    const path = join(root, "a", "b", "c");
    createFolder(path, 0o700);
    createFolder(path);
    for (const folder of [path, join(root, "a")]) expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it("follows a link to a folder", () => {
    const root = fresh();
    createFolder(join(root, "real"));
    symlinkSync("real", join(root, "link"));
    createFolder(join(root, "link", "inner"));
    expect(readdirSync(join(root, "real"))).toEqual(["inner"]);
  });

  it("names the file that is in the way", () => {
    const file = join(fresh(), "file");
    writeFileSync(file, "");
    expect(failure(file)).toMatchObject({ code: "EEXIST", path: file });
    expect(failure(join(file, "a", "b"))).toMatchObject({ code: "EEXIST", path: file });
  });

  it("rejects a link to nothing", () => {
    const link = join(fresh(), "link");
    symlinkSync("nothing", link);
    expect(failure(join(link, "a"))?.code).toBe("EEXIST");
  });

  it.runIf(existsSync("/proc/self"))("rejects a folder that cannot contain folders", () => {
    expect(failure("/proc/nope/a")?.code).toBe("ENOENT");
  });
});

it("is the only way in which the program creates missing parents, because Node can repeat `recursive` forever", () => {
  const root = join(import.meta.dirname, "..", "..", "src");
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  );
  const creating = files.filter((name) =>
    /\bmkdir(Sync)?\(.*recursive/.test(readFileSync(join(root, name), "utf8")),
  );
  expect(creating).toEqual([]);
});
