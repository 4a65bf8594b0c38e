/** Sizes as people type and read them. */
import { describe, expect, it } from "vitest";
import { formatSize, parseSize } from "../../src/shared/sizes.ts";

describe("a size", () => {
  it.each([
    ["20GB", 20e9],
    ["1.5TB", 1.5e12],
    ["64 MB", 64e6],
    ["500mb", 500e6],
    ["2kB", 2000],
  ])("%s is read as %d bytes", (text, bytes) => {
    expect(parseSize(text)).toBe(bytes);
  });

  it.each(["", "20", "GB", "-1GB", "0GB", "20 gigabytes", "1e3MB", "9999999TB"])("%j is refused", (text) => {
    expect(parseSize(text)).toBeNull();
  });

  it.each([
    [0, "0 bytes"],
    [999, "999 bytes"],
    [64e6, "64 MB"],
    [1.55e9, "1.6 GB"],
    [20e12, "20 TB"],
  ])("of %d bytes is shown as %s", (bytes, text) => {
    expect(formatSize(bytes)).toBe(text);
  });
});
