/** Reports and charts in a browser: accessible in light and dark, on narrow screens and on paper, without network requests. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { scorecardChart } from "../../src/charts/scorecard-chart.ts";
import { chartsFile } from "../../src/render/svg/charts.ts";
import { compare, createRow, readFacts } from "../charts/scorecard-samples.ts";
import { startDemo } from "../cli/demo.ts";
import { runCli } from "../harness.ts";
import { inHall, testers } from "../scorecard/facts.ts";
import { findViolations, openBrowser, type Window } from "./browser.ts";
import { offGolden } from "./golden.ts";

/** The maximum share of pixels that may differ. The font depends on the system, so the edges of letters may differ. */
const MAX_DIFFERENCE = 0.03;

const UNFOLD = "for (const folded of document.querySelectorAll('details')) folded.open = true";
const FIRST_FOLD = "document.querySelector('details').getBoundingClientRect().top";

let browser: Window;
let report = { name: "report.html", text: "" };
beforeAll(async () => {
  browser = await openBrowser();
  const service = await startDemo("studio", { console: { identity: null } });
  const { out } = await runCli(["report", "0.8.0", "0.9.0", "-g", "ember", "--format", "html"], { service });
  report = { ...report, text: out };
  await service.stop();
});
afterAll(() => browser.close());

describe("the page of a report", () => {
  test("has no findings of axe-core in light and dark mode, 1100 and 360 pixels wide", async () => {
    await browser.look(report, {}, async ({ page }) => {
      for (const colorScheme of ["light", "dark"] as const)
        for (const width of [1100, 360]) {
          await page.emulateMedia({ colorScheme });
          await page.setViewportSize({ width, height: 800 });
          await page.evaluate(UNFOLD);
          expect([colorScheme, width, await findViolations(page)]).toEqual([colorScheme, width, []]);
        }
    });
  });

  test.each([360, 1100, 1900])(
    "fits a screen of %i pixels, and sends no requests and logs no messages",
    async (width) => {
      await browser.look(report, { width }, async ({ page, requests, complaints }) => {
        expect([requests, complaints]).toEqual([[], []]);
        expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
        await page.evaluate(UNFOLD);
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

  test("shows the cards in less than five screens of a phone, and folds the rest", async () => {
    await browser.look(report, { width: 390, height: 844 }, async ({ page }) => {
      expect(await page.locator(".card h2").allTextContents()).toEqual([
        ...["What is worse", "What is better", "Numbers"],
      ]);
      expect(Number(await page.evaluate(FIRST_FOLD))).toBeLessThan(5 * 844);
      expect(await page.locator("details table").first().isVisible()).toBe(false);
    });
  });

  test("is printed unfolded", async () => {
    await browser.look(report, { media: "print" }, async ({ page }) => {
      for (const table of await page.locator("details table").all())
        expect((await table.boundingBox())?.height).toBeGreaterThan(0);
    });
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
  const long = "long".repeat(20);
  const rows = (["worse", "better"] as const).map((status) =>
    createRow({
      ...{
        status,
        subject: `difficulty-spike:${status}-${long}`,
        title: `Difficulty spike in ${status}-${long}`,
      },
      difference: status === "worse" ? 0.4 : -1,
    }),
  );
  const played = readFacts(testers(20, 4, inHall));
  const svg = chartsFile([scorecardChart({ ...compare(played, played), rows })]);
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
