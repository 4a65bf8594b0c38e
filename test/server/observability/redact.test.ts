/** Redaction of keys in any encoding, and validation of request ids from clients. */
import { expect, it } from "vitest";
import { acceptRequestId, redactForLog, redactKeys } from "../../../src/server/observability/redact.ts";

const DIGITS = "0123456789abcdef0123456789abcdef01234567";

it.each([
  ["a management key", `/api/v1/games/pt_mgmt_${DIGITS}/x`, "/api/v1/games/[key]/x"],
  ["an ingest key", `pt_ik_${DIGITS}`, "[key]"],
  ["a CI key", `pt_ci_${DIGITS}`, "[key]"],
  ["a tester's token", `pt_tt_${DIGITS}`, "[key]"],
  ["a key in capitals", `PT_MGMT_${DIGITS.toUpperCase()}`, "[key]"],
  ["a truncated key", `GET /pt_mgmt_${DIGITS.slice(0, 7)}`, "GET /[key]"],
  ["an encoded prefix", `%70t%5Fmgmt_${DIGITS}`, "[key]"],
  ["encoded underscores", `pt%5Fmgmt%5F${DIGITS}`, "[key]"],
  ["encoded digits", `pt_mgmt_%30%61${DIGITS.slice(2)}`, "[key]"],
  ["two keys", `pt_ik_${DIGITS} pt_mgmt_${DIGITS}`, "[key] [key]"],
])("redacts %s", (_what, given, shown) => {
  expect(redactKeys(given)).toBe(shown);
});

it("keeps ids, digests and words", () => {
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

it("truncates long text after redacting keys", () => {
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
])("accepts the request id %j: %s", (id, adopted) => {
  expect(acceptRequestId(id)).toBe(adopted ? id : null);
});
