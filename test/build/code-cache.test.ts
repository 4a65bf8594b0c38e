/** The code cache: created at the first start in the user's folder, used only if valid, and never required. */
import {
  chmod,
  chown,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";

const root = join(import.meta.dirname, "..", "..");
const isRoot = process.getuid?.() === 0;

let folder: string;
let home: string;
let server: Server;
/** The cache from the build, and the location of the cache from a start. */
let shipped: string;
let kept: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "playtest-cache-"));
  await cp(join(root, "dist"), join(folder, "shipped"), { recursive: true });
  await cp(join(folder, "shipped"), join(folder, "bare"), { recursive: true });
  const name = (await readdir(join(folder, "shipped"))).find((one) => one.endsWith(".cache")) ?? "";
  shipped = join(folder, "shipped", name);
  await rm(join(folder, "bare", name));
  server = createServer((_, response) => response.end('{"games":[]}'));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});

afterAll(() => server.close());

beforeEach(async () => {
  home = await mkdtemp(join(folder, "home-"));
  kept = join(home, "playtest", "code", shipped.slice(shipped.lastIndexOf("/") + 1));
});

/** Lists games, with or without the cache from the build. This must always succeed. */
async function list(dist: "shipped" | "bare", env: Record<string, string> = {}): Promise<void> {
  const { stdout, stderr, exitCode } = await execa(
    "node",
    [join(folder, dist, "bin.js"), "games", "list", "--json"],
    {
      env: {
        XDG_CACHE_HOME: home,
        XDG_STATE_HOME: join(folder, "state"),
        PLAYTEST_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        PLAYTEST_KEY: "any",
        ...env,
      },
      reject: false,
    },
  );
  expect({ stdout, stderr, exitCode }).toEqual({ stdout: '{"games":[]}', stderr: "", exitCode: 0 });
}

async function isSound(path: string): Promise<boolean> {
  const bytes = await readFile(path);
  const half = bytes.length / 2;
  return half > 10_000 && bytes.subarray(0, half).equals(bytes.subarray(half));
}

test("the cache from the build is used, and no other is created", async () => {
  await list("shipped");
  expect(await readdir(home)).toEqual([]);
});

test("without one, the first start creates a private cache, and the next one does not replace it", async () => {
  await list("bare");
  expect(await isSound(kept)).toBe(true);
  const { mode, ino } = await stat(kept);
  expect(mode & 0o777).toBe(0o600);
  expect((await stat(join(home, "playtest", "code"))).mode & 0o777).toBe(0o700);
  await list("bare");
  expect((await stat(kept)).ino).toBe(ino);
  expect(await readdir(join(home, "playtest", "code"))).toHaveLength(1);
});

test.each([
  ["empty", () => Buffer.alloc(0)],
  ["cut short", (bytes: Buffer) => bytes.subarray(0, 5001)],
  [
    "damaged in one place",
    (bytes: Buffer) => Buffer.concat([bytes.subarray(0, 9000), Buffer.of(1), bytes.subarray(9001)]),
  ],
])("a cache that is %s is replaced", async (_, change) => {
  await list("bare");
  await writeFile(kept, change(await readFile(kept)));
  await list("bare");
  expect(await isSound(kept)).toBe(true);
});

test("a cache that V8 rejects is kept, because it may be valid with other flags of Node", async () => {
  await list("bare");
  await writeFile(kept, Buffer.alloc(50_000, "no code.  "));
  await list("bare");
  expect((await stat(kept)).size).toBe(50_000);
});

test.runIf(isRoot)("a cache of another user is not used, but replaced", async () => {
  await list("bare");
  await chown(kept, 12_345, 12_345);
  await list("bare");
  expect((await stat(kept)).uid).toBe(0);
});

test("a cache that is writable by others is not used, but replaced", async () => {
  await list("bare");
  await chmod(kept, 0o666);
  await list("bare");
  expect((await stat(kept)).mode & 0o777).toBe(0o600);
});

test("a symbolic link instead of the cache is not followed", async () => {
  await list("bare");
  const elsewhere = join(home, "elsewhere");
  await cp(kept, elsewhere);
  await rm(kept);
  await symlink(elsewhere, kept);
  await list("bare");
  expect((await stat(elsewhere)).isFile()).toBe(true);
  expect(await isSound(kept)).toBe(true);
});

test("a folder that cannot be created causes no error", async () => {
  await writeFile(join(home, "playtest"), "in the way");
  await list("bare");
  await list("bare", { XDG_CACHE_HOME: "", HOME: "" });
  await list("bare", { XDG_CACHE_HOME: "relative" });
});

test("a folder instead of the cache causes no error", async () => {
  await mkdir(kept, { recursive: true });
  await list("bare");
});

test("NODE_DISABLE_COMPILE_CACHE disables it", async () => {
  await list("bare", { NODE_DISABLE_COMPILE_CACHE: "1" });
  expect(await readdir(home)).toEqual([]);
});
