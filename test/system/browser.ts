/** Opens files in Chromium, to check screenshots, network requests and the findings of axe-core. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";

/** The path of Debian's package by default. */
export const PROGRAM = process.env.PLAYTEST_CHROMIUM ?? "/usr/bin/chromium";
export const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--force-color-profile=srgb",
  "--font-render-hinting=none",
];

export type Theme = "light" | "dark";

export interface Look {
  readonly theme?: Theme;
  readonly width?: number;
  readonly height?: number;
  /** Device pixels per CSS pixel (default: 1). */
  readonly scale?: number;
  readonly media?: "screen" | "print";
}

/** A finding of axe-core: a rule, and the elements that violate it. */
export interface Violation {
  readonly rule: string;
  readonly elements: readonly string[];
}

export interface Seen {
  readonly page: Page;
  /** The URLs that the page requested, without its own. */
  readonly requests: readonly string[];
  /** Console messages, errors and dialogs of the page. They include requests that were blocked. */
  readonly complaints: readonly string[];
}

export interface Window {
  /** Opens an `.html` or `.svg` file with this text, calls `use` with the page, and closes it. */
  look<T>(file: { name: string; text: string }, look: Look, use: (seen: Seen) => Promise<T>): Promise<T>;
  /** Returns a screenshot of the full page as PNG. */
  shot(file: { name: string; text: string }, look?: Look): Promise<Buffer>;
  /** Returns the findings of axe-core. The browser injects its script, regardless of the page's content security policy. */
  violations(file: { name: string; text: string }, look?: Look): Promise<Violation[]>;
  close(): Promise<void>;
}

/** Starts the browser with a new profile. */
export async function openBrowser(): Promise<Window> {
  const folder = await mkdtemp(join(tmpdir(), "playtest-browser-"));
  const browser = await chromium.launch({ executablePath: PROGRAM, args: FLAGS });

  async function look<T>(
    { name, text }: { name: string; text: string },
    options: Look,
    use: (seen: Seen) => Promise<T>,
  ): Promise<T> {
    const path = join(await mkdtemp(join(folder, "page-")), name);
    await writeFile(path, text);
    const context = await contextFor(browser, options);
    const url = pathToFileURL(path).href;
    try {
      const page = await context.newPage();
      if (options.media) await page.emulateMedia({ media: options.media });
      const requests: string[] = [];
      const complaints: string[] = [];
      page.on("request", (request) => {
        if (request.url() !== url && !request.url().startsWith("data:")) requests.push(request.url());
      });
      page.on("console", (message) => complaints.push(message.text()));
      page.on("pageerror", (error) => complaints.push(String(error)));
      page.on("dialog", (dialog) => {
        complaints.push(`dialog: ${dialog.message()}`);
        void dialog.dismiss();
      });
      await page.goto(url, { waitUntil: "load" });
      return await use({ page, requests, complaints });
    } finally {
      await context.close();
    }
  }

  return {
    look,
    shot: (file, options = {}) =>
      look(inPage(file), options, async ({ page }) => await page.screenshot({ fullPage: true })),
    violations: (file, options = {}) => look(file, options, async ({ page }) => await findViolations(page)),
    async close() {
      await browser.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Finds violations in copies of open pages. The copies follow each other in one page, because axe-core takes several times as
 * long in a new one: the browser compiles it again.
 */
export class Auditor {
  readonly #page: Page;

  private constructor(page: Page) {
    this.#page = page;
  }

  /** Opens the page for the copies in a context. Its address is that of a site whose stylesheets the copies use. */
  static async open(context: BrowserContext, url: string): Promise<Auditor> {
    const page = await context.newPage();
    await page.goto(url);
    await page.evaluate(
      await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"),
    );
    return new Auditor(page);
  }

  /** Returns the findings about a copy of the page as it is now, of all rules in light mode and of the contrast in dark mode. */
  async audit(page: Page): Promise<Violation[]> {
    const html = JSON.stringify(await page.content());
    await this.#page.evaluate(`new Promise((resolve) => {
      document.open();
      addEventListener("load", resolve, { once: true });
      document.write(${html});
      document.close();
    })`);
    await this.#page.emulateMedia({ colorScheme: "light" });
    const inLight = await findViolations(this.#page);
    await this.#page.emulateMedia({ colorScheme: "dark" });
    return [...inLight, ...(await findViolations(this.#page, ["color-contrast"]))];
  }
}

/**
 * Returns the findings of axe-core about an open page, of all rules or those named. The browser injects its script, regardless
 * of the page's content security policy.
 */
export async function findViolations(page: Page, rules?: readonly string[]): Promise<Violation[]> {
  if (!(await page.evaluate("'axe' in window")))
    await page.evaluate(
      await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"),
    );
  const options = { resultTypes: ["violations"], ...(rules ? { runOnly: rules } : {}) };
  const found = (await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`)) as {
    violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[];
  };
  return found.violations.map(({ id, nodes }) => ({
    rule: id,
    elements: nodes.map(({ html, failureSummary = "" }) => `${html.slice(0, 200)} ${failureSummary}`),
  }));
}

/** Wraps an SVG file in a page, because browsers cannot take screenshots of SVG documents. Returns other files unchanged. */
function inPage({ name, text }: { name: string; text: string }): { name: string; text: string } {
  if (!name.endsWith(".svg")) return { name, text };
  const uri = `data:image/svg+xml;base64,${Buffer.from(text).toString("base64")}`;
  return {
    name: `${name}.html`,
    text: `<!DOCTYPE html><body style="margin:0"><img style="display:block" src="${uri}">`,
  };
}

async function contextFor(browser: Browser, look: Look): Promise<BrowserContext> {
  return await browser.newContext({
    viewport: { width: look.width ?? 1100, height: look.height ?? 800 },
    deviceScaleFactor: look.scale ?? 1,
    colorScheme: look.theme ?? "light",
    bypassCSP: true,
    offline: true,
    reducedMotion: "reduce",
  });
}
