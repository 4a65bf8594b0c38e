/** Atomic files: links, permissions, concurrent writers and failures. */
import {
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { openAtomicFile, PRIVATE_MODE, writeFileAtomically } from "../../src/shared/atomic-file.ts";
import { freshFolder } from "../harness.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = freshFolder();
  path = join(folder, "file");
});

const readMode = (file: string) => (statSync(file).mode & 0o777).toString(8);
const listFolder = () => readdirSync(folder).sort();

describe("writeFileAtomically", () => {
  test.each(["text", Buffer.from("bytes")])("writes %j and leaves no other file", async (content) => {
    await writeFileAtomically(path, content);
    expect([readFileSync(path, "utf8"), listFolder()]).toEqual([content.toString(), ["file"]]);
  });

  test("does not keep the permissions of the replaced file", async () => {
    writeFileSync(path, "old", { mode: 0o644 });
    await writeFileAtomically(path, "key", { mode: PRIVATE_MODE });
    expect([readFileSync(path, "utf8"), readMode(path)]).toEqual(["key", "600"]);
  });

  test("replaces a symbolic link instead of following it", async () => {
    const outside = join(freshFolder(), "outside");
    writeFileSync(outside, "precious");
    symlinkSync(outside, path);
    await writeFileAtomically(path, "new");
    expect([lstatSync(path).isFile(), readFileSync(path, "utf8")]).toEqual([true, "new"]);
    expect(readFileSync(outside, "utf8")).toBe("precious");
  });

  test("does not change another hard link of the replaced file", async () => {
    const other = join(folder, "other");
    writeFileSync(other, "old");
    linkSync(other, path);
    await writeFileAtomically(path, "new");
    expect([readFileSync(path, "utf8"), readFileSync(other, "utf8")]).toEqual(["new", "old"]);
  });

  test.each(["EISDIR", "ENOTDIR", "ENOENT"])("throws %s and leaves no temporary file", async (code) => {
    mkdirSync(join(folder, "is-folder"));
    writeFileSync(join(folder, "is-file"), "");
    const targets: Record<string, string> = {
      EISDIR: join(folder, "is-folder"),
      ENOTDIR: join(folder, "is-file", "below"),
      ENOENT: join(folder, "missing", "below"),
    };
    await expect(writeFileAtomically(targets[code] ?? "", "new")).rejects.toMatchObject({ code });
    expect(listFolder()).toEqual(["is-file", "is-folder"]);
  });

  test("stores the content of one of many concurrent writers", async () => {
    const contents = Array.from({ length: 20 }, (_, index) => String(index).repeat(100_000));
    await Promise.all(contents.map((content) => writeFileAtomically(path, content)));
    expect([contents.includes(readFileSync(path, "utf8")), listFolder()]).toEqual([true, ["file"]]);
  });
});

describe("openAtomicFile", () => {
  test("uses a private temporary file with an unpredictable name until the commit", async () => {
    writeFileSync(path, "old");
    const [first, second] = [
      await openAtomicFile(path, { mode: PRIVATE_MODE }),
      await openAtomicFile(path, { mode: PRIVATE_MODE }),
    ];
    const temporary = listFolder().filter((name) => name !== "file");
    expect(temporary).toEqual([
      expect.stringMatching(/^file\.[0-9a-f]{16}\.tmp$/),
      expect.stringMatching(/^file\.[0-9a-f]{16}\.tmp$/),
    ]);
    for (const name of temporary) expect(readMode(join(folder, name))).toBe("600");
    await first.write(Buffer.from("first"));
    await second.write(Buffer.from("second"));
    expect(readFileSync(path, "utf8")).toBe("old");
    await second.commit();
    await first.discard();
    expect([readFileSync(path, "utf8"), listFolder()]).toEqual(["second", ["file"]]);
  });

  test("keeps the committed file if it is discarded afterwards", async () => {
    const file = await openAtomicFile(path);
    await file.write(Buffer.from("new"));
    await file.close();
    await file.commit();
    await file.discard();
    expect(readFileSync(path, "utf8")).toBe("new");
  });

  test("replaces an existing file or link at a fixed temporary path without writing into it", async () => {
    const outside = join(freshFolder(), "outside");
    writeFileSync(outside, "precious");
    const temporaryPath = `${path}.draft`;
    for (const createLink of [linkSync, symlinkSync]) {
      createLink(outside, temporaryPath);
      await writeFileAtomically(path, "new", { temporaryPath, mode: PRIVATE_MODE });
      expect([readFileSync(path, "utf8"), readMode(path), listFolder()]).toEqual(["new", "600", ["file"]]);
    }
    expect(readFileSync(outside, "utf8")).toBe("precious");
  });
});
