/** Damaged archives: each is refused with the location of the damage, and nothing is imported. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseHeader } from "../../../src/server/archive/format.ts";
import { requireKnownVersion } from "../../../src/server/archive/older.ts";
import type { Store } from "../../../src/server/db/open.ts";
import { version } from "../../../src/shared/version.prepared.ts";
import { startTestService } from "../../harness.ts";
import fc from "../../property.ts";
import { emptyStore, exportArchive, filledTables, reseal, restoreLines } from "./archives.ts";

let lines: string[];
let store: Store;
beforeAll(async () => {
  const service = await startTestService();
  await service.addGame("ember");
  await service.addGame("tidepool");
  ({ lines } = await exportArchive(service.service.store));
  await service.stop();
  // Writing all pages again after each of hundreds of imports would take longer than the imports.
  store = { ...(await emptyStore()), purgeDeleted: async () => true };
});
afterAll(() => store.close());

/** Imports a damaged archive, and returns the error message. */
async function importDamaged(changed: readonly string[]): Promise<string> {
  const error = await restoreLines(store, changed).then(
    () => null,
    (fault: Error) => fault,
  );
  expect([error?.name, await filledTables(store)]).toEqual(["ServiceError", []]);
  return error?.message ?? "";
}

const findLine = (start: string) => lines.findIndex((line) => line.startsWith(start));

/** The lines of the archive with one line replaced. */
const replaceLine = (index: number, ...by: string[]) => [
  ...lines.slice(0, index),
  ...by,
  ...lines.slice(index + 1),
];

describe("an archive", () => {
  test("is imported if it is intact", async () => {
    const whole = await emptyStore();
    await restoreLines(whole, reseal(lines));
    expect(await filledTables(whole)).toEqual(["accounts", "keys", "secrets", "games"]);
    expect(reseal(lines)).toEqual(lines);
    await whole.close();
  });

  test("is refused if it is truncated at any line", async () => {
    for (let kept = 0; kept < lines.length; kept += 1) {
      const why = await importDamaged(lines.slice(0, kept));
      expect(why).toMatch(new RegExp(`^studio\\.gz is damaged at its end: expected .+ after line ${kept}$`));
    }
  });

  test("is refused if a line is missing, repeated or swapped with the next", async () => {
    for (let at = 0; at < lines.length; at += 1) {
      const [line = "", next] = lines.slice(at, at + 2);
      expect(await importDamaged(replaceLine(at))).toContain("is damaged at ");
      expect(await importDamaged(replaceLine(at, line, line))).toContain("is damaged at line ");
      if (next === undefined) continue;
      const exchanged = [...lines.slice(0, at), next, line, ...lines.slice(at + 2)];
      expect(await importDamaged(exchanged)).toContain("is damaged at line ");
    }
  });

  test("is refused if a line was changed, even to equivalent JSON", async () => {
    for (const [at, line] of lines.entries()) {
      if (at < lines.length - 1)
        expect(await importDamaged(replaceLine(at, `${line} `))).toContain("is damaged at ");
      expect(await importDamaged(replaceLine(at, line.slice(0, -1)))).toContain("is damaged at line ");
      expect(await importDamaged(replaceLine(at, "", line))).toContain("is damaged at line ");
    }
  });

  test("is refused if any character was changed", async () => {
    const place = fc.tuple(fc.nat(lines.length - 1), fc.double({ min: 0, max: 1, noNaN: true }));
    await fc.assert(
      fc.asyncProperty(place, fc.constantFrom("0", "1", "a", '"', "]", " "), async ([at, part], by) => {
        const line = lines[at] ?? "";
        const place = Math.floor(part * (line.length - 1));
        fc.pre(line[place] !== by);
        await importDamaged(replaceLine(at, `${line.slice(0, place)}${by}${line.slice(place + 1)}`));
      }),
      { numRuns: 150 },
    );
  });

  test("is refused with the line, the table and the reason", async () => {
    const games = findLine('{"table":"games"');
    const end = findLine('{"end":"games"');
    const row = lines[games + 1] ?? "";
    const place = (at: number) => `studio.gz is damaged at line ${at + 1}: `;
    expect(await importDamaged(replaceLine(games + 1, row.replace("ember", "amber")))).toBe(
      `${place(end)}the rows of table games do not match their checksum`,
    );
    expect(await importDamaged(replaceLine(games + 1))).toBe(
      `${place(end - 1)}expected 2 rows of table games, but found 1`,
    );
    expect(await importDamaged(replaceLine(games + 1, "[1]"))).toBe(
      `${place(games + 1)}expected a row of table games or the end of the table`,
    );
    expect(await importDamaged(replaceLine(games, "{}"))).toBe(
      `${place(games)}expected the start of table games`,
    );
    expect(await importDamaged([...lines, "{}"])).toBe(
      `${place(lines.length)}unexpected line after the end of the archive`,
    );
    expect(await importDamaged(replaceLine(0, "{}"))).toBe(`${place(0)}expected the header of an archive`);
  });

  test("is refused if a value has another type than its column, even with valid checksums", async () => {
    const row = findLine('{"table":"accounts"') + 1;
    for (const value of ["17", 1.5, 2 ** 53, { bytes: "AA==" }, { number: "NaN" }]) {
      const text = (lines[row] ?? "").replace(/\d{13}/, JSON.stringify(value));
      expect(text).not.toBe(lines[row]);
      expect(await importDamaged(reseal(replaceLine(row, text)))).toBe(
        `studio.gz is damaged at line ${row + 1}: table accounts: the column created_at is not of the type integer`,
      );
    }
  });

  test("is refused with unknown columns, before they are used in SQL", async () => {
    const at = findLine('{"table":"accounts"');
    const columns = (lines[at] ?? "").replace('"name"', '"name\\" from keys --"');
    expect(await importDamaged(reseal(replaceLine(at, columns)))).toBe(
      "studio.gz is damaged at table accounts: its columns differ from the columns in the database",
    );
  });
});

describe("a header", () => {
  const header = (changed: object) => JSON.stringify({ ...JSON.parse(lines[0] ?? ""), ...changed });

  test("is null for a file that is not an archive", () => {
    for (const line of ["", "x", "null", "[]", "{}", '"playtest-database"', '{"events":[]}'])
      expect(parseHeader(line, "x")).toBeNull();
  });

  test("is refused if it is damaged or of another format version", () => {
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

  test("is refused for an archive of a newer version", () => {
    const { migrations } = JSON.parse(lines[0] ?? "");
    const check =
      (names: string[], changed = {}) =>
      () => {
        const read = parseHeader(header({ migrations: names, ...changed }), "x.gz");
        if (read) requireKnownVersion(read, "x.gz");
      };
    expect(check(migrations)).not.toThrow();
    expect(check([...migrations, "999-later"])).toThrow(
      `x.gz was exported by playtest ${version}, a newer version (unknown migrations: 999-later)`,
    );
    expect(check([...migrations, "999-later"], { version: undefined })).toThrow(
      "x.gz was exported by a newer version of playtest (unknown migrations: 999-later)",
    );
  });
});
