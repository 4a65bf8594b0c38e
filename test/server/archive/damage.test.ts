/** Archives that are not as they were written: each is refused with its place, and nothing of it is imported. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseHeader } from "../../../src/server/archive/format.ts";
import { requireSameVersion } from "../../../src/server/archive/restore.ts";
import type { Store } from "../../../src/server/db/open.ts";
import { startTestService } from "../../harness.ts";
import fc from "../../property.ts";
import { archiveOf, emptyStore, filled, restoreLines, sealed } from "./worlds.ts";

let lines: string[];
let store: Store;
beforeAll(async () => {
  const service = await startTestService();
  await service.addGame("ember");
  await service.addGame("tidepool");
  ({ lines } = await archiveOf(service.service.store));
  await service.stop();
  store = await emptyStore();
});
afterAll(() => store.close());

/** Imports what must be refused, and answers why. */
async function refused(changed: readonly string[]): Promise<string> {
  const error = await restoreLines(store, changed).then(
    () => null,
    (fault: Error) => fault,
  );
  expect([error?.name, await filled(store)]).toEqual(["ServiceError", []]);
  return error?.message ?? "";
}

const lineWith = (start: string) => lines.findIndex((line) => line.startsWith(start));

/** The lines with that one replaced. */
const replaced = (at: number, ...by: string[]) => [...lines.slice(0, at), ...by, ...lines.slice(at + 1)];

describe("an archive", () => {
  test("that is whole is taken", async () => {
    const whole = await emptyStore();
    await restoreLines(whole, sealed(lines));
    expect(await filled(whole)).toEqual(["accounts", "keys", "games"]);
    expect(sealed(lines)).toEqual(lines);
    await whole.close();
  });

  test("that breaks off is refused wherever it does", async () => {
    for (let kept = 0; kept < lines.length; kept += 1) {
      const why = await refused(lines.slice(0, kept));
      expect(why).toMatch(new RegExp(`^studio\\.gz is damaged at its end: expected .+ after line ${kept}$`));
    }
  });

  test("that lacks a line, or has one twice, or two exchanged, is refused wherever it is", async () => {
    for (let at = 0; at < lines.length; at += 1) {
      const [line = "", next] = lines.slice(at, at + 2);
      expect(await refused(replaced(at))).toContain("is damaged at ");
      expect(await refused(replaced(at, line, line))).toContain("is damaged at line ");
      if (next === undefined) continue;
      const exchanged = [...lines.slice(0, at), next, line, ...lines.slice(at + 2)];
      expect(await refused(exchanged)).toContain("is damaged at line ");
    }
  });

  test("whose line was touched is refused, even where it is the same JSON", async () => {
    for (const [at, line] of lines.entries()) {
      if (at < lines.length - 1) expect(await refused(replaced(at, `${line} `))).toContain("is damaged at ");
      expect(await refused(replaced(at, line.slice(0, -1)))).toContain("is damaged at line ");
      expect(await refused(replaced(at, "", line))).toContain("is damaged at line ");
    }
  });

  test("whose character was changed anywhere is refused", async () => {
    const place = fc.tuple(fc.nat(lines.length - 1), fc.double({ min: 0, max: 1, noNaN: true }));
    await fc.assert(
      fc.asyncProperty(place, fc.constantFrom("0", "1", "a", '"', "]", " "), async ([at, part], by) => {
        const line = lines[at] ?? "";
        const place = Math.floor(part * (line.length - 1));
        fc.pre(line[place] !== by);
        await refused(replaced(at, `${line.slice(0, place)}${by}${line.slice(place + 1)}`));
      }),
      { numRuns: 150 },
    );
  });

  test("names the line, the table, and what is wrong", async () => {
    const games = lineWith('{"table":"games"');
    const end = lineWith('{"end":"games"');
    const row = lines[games + 1] ?? "";
    const place = (at: number) => `studio.gz is damaged at line ${at + 1}: `;
    expect(await refused(replaced(games + 1, row.replace("ember", "amber")))).toBe(
      `${place(end)}the rows of table games do not match their checksum`,
    );
    expect(await refused(replaced(games + 1))).toBe(
      `${place(end - 1)}expected 2 rows of table games, but found 1`,
    );
    expect(await refused(replaced(games + 1, "[1]"))).toBe(
      `${place(games + 1)}expected a row of table games or the end of the table`,
    );
    expect(await refused(replaced(games, "{}"))).toBe(`${place(games)}expected the start of table games`);
    expect(await refused([...lines, "{}"])).toBe(
      `${place(lines.length)}unexpected line after the end of the archive`,
    );
    expect(await refused(replaced(0, "{}"))).toBe(`${place(0)}expected the header of an archive`);
  });

  test("whose values the database does not hold as they are is refused, though its hashes are right", async () => {
    const row = lineWith('{"table":"accounts"') + 1;
    const text = (lines[row] ?? "").replace(/\d{13}/, (time) => `"${time}"`);
    expect(text).not.toBe(lines[row]);
    expect(await refused(sealed(replaced(row, text)))).toBe(
      `The data read back from the database ${store.location} differs from the archive: the table accounts has different values`,
    );
  });

  test("with columns of its own making is refused before anything is asked with them", async () => {
    const at = lineWith('{"table":"accounts"');
    const columns = (lines[at] ?? "").replace('"name"', '"name\\" from keys --"');
    expect(await refused(sealed(replaced(at, columns)))).toBe(
      "studio.gz is damaged at table accounts: its columns differ from the columns in the database",
    );
  });
});

describe("a first line", () => {
  const header = (changed: object) => JSON.stringify({ ...JSON.parse(lines[0] ?? ""), ...changed });

  test("that is no archive's is none", () => {
    for (const line of ["", "x", "null", "[]", "{}", '"playtest-database"', '{"events":[]}'])
      expect(parseHeader(line, "x")).toBeNull();
  });

  test("of another format, or damaged, is refused", () => {
    expect(() => parseHeader(header({ "playtest-database": 2 }), "x.gz")).toThrow(
      "x.gz has archive format 2, but this version of playtest only reads format 1",
    );
    expect(() => parseHeader(header({ migrations: "all" }), "x.gz")).toThrow(
      "the header has no list of migrations",
    );
    expect(() => parseHeader(header({ migrations: [1] }), "x.gz")).toThrow(
      "the header has no list of migrations",
    );
    expect(() => parseHeader(header({ createdAt: 1 }), "x.gz")).toThrow("the header has no creation time");
  });

  test("tells which version has more", () => {
    const { migrations } = JSON.parse(lines[0] ?? "");
    const check = (names: string[]) => () => {
      const read = parseHeader(header({ migrations: names }), "x.gz");
      if (read) requireSameVersion(read, "x.gz");
    };
    expect(check(migrations)).not.toThrow();
    expect(check([...migrations, "999-later"])).toThrow(
      "x.gz was exported by a newer version of playtest (unknown migrations: 999-later)",
    );
    expect(check(migrations.slice(0, -1))).toThrow(
      `x.gz was exported by an older version of playtest (missing migrations: ${migrations.at(-1)})`,
    );
  });
});
