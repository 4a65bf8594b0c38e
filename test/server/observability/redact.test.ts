/** What is written down holds no key, however it came, and an id that a client chose only where it is harmless. */
import { expect, it } from "vitest";
import { acceptRequestId, redactForLog, redactKeys } from "../../../src/server/observability/redact.ts";

const DIGITS = "0123456789abcdef0123456789abcdef01234567";

it.each([
  ["a management key", `/api/v1/games/pt_mgmt_${DIGITS}/x`, "/api/v1/games/[key]/x"],
  ["an ingest key", `pt_ik_${DIGITS}`, "[key]"],
  ["a tester's token", `pt_tt_${DIGITS}`, "[key]"],
  ["a key in capitals", `PT_MGMT_${DIGITS.toUpperCase()}`, "[key]"],
  ["a key that broke off", `GET /pt_mgmt_${DIGITS.slice(0, 7)}`, "GET /[key]"],
  ["a prefix encoded", `%70t%5Fmgmt_${DIGITS}`, "[key]"],
  ["underscores encoded", `pt%5Fmgmt%5F${DIGITS}`, "[key]"],
  ["digits encoded", `pt_mgmt_%30%61${DIGITS.slice(2)}`, "[key]"],
  ["two of them", `pt_ik_${DIGITS} pt_mgmt_${DIGITS}`, "[key] [key]"],
])("%s is hidden", (_what, given, shown) => {
  expect(redactKeys(given)).toBe(shown);
});

it("ids, digests and words stay", () => {
  for (const text of [
    "sess_0123456789abcdef01234567",
    "/api/v1/games/pt_x",
    "0.8.0",
    DIGITS,
    "pt_mgmt",
    "apt_item",
  ])
    expect(redactKeys(text)).toBe(text);
});

it("what is very long is cut after its keys are hidden", () => {
  const long = `${"a-".repeat(995)}pt_mgmt_${DIGITS}${"-".repeat(5000)}`;
  const shown = redactForLog(long);
  expect(shown.length).toBeLessThan(2010);
  expect(shown).not.toContain("pt_mgmt");
});

it.each([
  ["my-id.1", true],
  ["a".repeat(128), true],
  ["a".repeat(129), false],
  ["", false],
  ["a b", false],
  ["a\nb", false],
  ["ü", false],
  [`pt_mgmt_${DIGITS}`, false],
  [DIGITS, true],
])("the id %j is adopted: %s", (id, adopted) => {
  expect(acceptRequestId(id)).toBe(adopted ? id : null);
});
