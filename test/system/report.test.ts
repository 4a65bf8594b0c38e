/** Reports and charts in a browser: accessible in light and dark, on narrow screens and on paper, without network requests. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { frictionChart } from "../../src/charts/friction.ts";
import { seedDemo } from "../../src/cli/commands/server/seed.ts";
import { chartsFile } from "../../src/render/svg/charts.ts";
import { runCli, startTestService } from "../harness.ts";
import { openBrowser, type Window } from "./browser.ts";
import { offGolden } from "./golden.ts";

/** The maximum share of pixels that may differ. The font depends on the system, so the edges of letters may differ. */
const MAX_DIFFERENCE = 0.03;

let browser: Window;
let report = { name: "report.html", text: "" };
beforeAll(async () => {
  browser = await openBrowser();
  const service = await startTestService();
  await seedDemo({ ...service, database: ":memory:" });
  const { out } = await runCli(["report", "0.8.0", "0.9.0", "-g", "ember", "--format", "html"], { service });
  report = { ...report, text: out };
  await service.stop();
});
afterAll(() => browser.close());

describe("the page of a report", () => {
  test.each([
    ["light", 1100],
    ["dark", 1100],
    ["light", 360],
    ["dark", 360],
  ] as const)("has no findings of axe-core: %s, %i pixels wide", async (theme, width) => {
    expect(await browser.violations(report, { theme, width })).toEqual([]);
  });

  test.each([360, 1100, 1900])(
    "fits a screen of %i pixels, and sends no requests and logs no messages",
    async (width) => {
      await browser.look(report, { width }, async ({ page, requests, complaints }) => {
        expect([requests, complaints]).toEqual([[], []]);
        expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
        expect(await page.locator("h1").textContent()).toBe("Ember Hollow: 0.8.0 to 0.9.0");
      });
    },
  );

  test("follows the color scheme of the system on screens, and is always light on paper", async () => {
    const readBackground = async (look: object) =>
      await browser.look(report, look, ({ page }) =>
        page.evaluate("getComputedStyle(document.body).backgroundColor"),
      );
    expect(await readBackground({ theme: "light" })).toBe("rgb(255, 255, 255)");
    expect(await readBackground({ theme: "dark" })).toBe("rgb(15, 19, 24)");
    expect(await readBackground({ theme: "dark", media: "print" })).toBe("rgb(255, 255, 255)");
  });

  test.each(["light", "dark"] as const)("looks like the golden image: %s", async (theme) => {
    const seen = await browser.look(report, { theme, height: 1300 }, ({ page }) => page.screenshot());
    expect(offGolden(`report-${theme}`, seen)).toBeLessThan(MAX_DIFFERENCE);
  });

  test("is printed without page breaks inside rows, figures and the verdict", async () => {
    await browser.look(report, { media: "print" }, async ({ page }) => {
      const avoidsBreaks = await page.evaluate(
        "[...document.querySelectorAll('tr,figure,.verdict')].every((one) => getComputedStyle(one).breakInside === 'avoid')",
      );
      expect(avoidsBreaks).toBe(true);
      expect((await page.pdf({ format: "A4" })).length).toBeGreaterThan(10_000);
    });
  });
});

test("the text of a chart is inside of the image and accessible, in light and dark", async () => {
  const side = { version: "0.9.0", testers: 20 };
  const changes = ["introduced", "resolved"].map((kind) => ({
    tag: `difficulty-spike:${kind}-${"long".repeat(20)}`,
    title: `Difficulty spike in ${kind}-${"long".repeat(20)}`,
    kind,
    deltaPct: kind === "introduced" ? 40 : -100,
    testersA: kind === "introduced" ? 12 : 20,
    testersB: kind === "introduced" ? 20 : 0,
    exposedA: 20,
    exposedB: 20,
    difference: kind === "introduced" ? 40 : -100,
    interval: { low: -80, high: 60 },
    pValue: 0.001,
    oddsRatio: 1,
    increasePValue: 0.001,
    result: kind === "introduced" ? ("worse" as const) : ("better" as const),
  }));
  const svg = chartsFile([
    frictionChart({
      game: "Ember",
      environment: "production",
      a: side,
      b: side,
      changes,
      noFriction: "No friction in either build.",
      basis: "exposed",
      notes: [],
      testersA: 20,
      testersB: 20,
    }),
  ]);
  for (const theme of ["light", "dark"] as const) {
    const file = {
      name: "chart.html",
      text: `<!DOCTYPE html><html lang="en"><title>Chart</title><main>${svg}</main></html>`,
    };
    expect(
      (await browser.violations(file, { theme })).filter(({ rule }) => rule !== "page-has-heading-one"),
    ).toEqual([]);
    await browser.look(file, { theme }, async ({ page }) => {
      const outside = await page.evaluate(
        "[...document.querySelectorAll('svg text')].filter((one) => { const { x, width } = one.getBBox(); const all = one.getCTM(); return all.e + x < 0 || all.e + x + width > one.ownerSVGElement.viewBox.baseVal.width; }).length",
      );
      expect(outside).toBe(0);
    });
  }
});
