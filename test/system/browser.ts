/** A real browser for pages and pictures: what it draws, what it asks the network for, and what axe-core finds. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";

/** Debian's. */
const PROGRAM = process.env.PLAYTEST_CHROMIUM ?? "/usr/bin/chromium";
const FLAGS = [
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
  /** Pixels of the screen to one of the page; 1 unless told. */
  readonly scale?: number;
  readonly media?: "screen" | "print";
}

/** What axe-core found: a rule, and the elements that break it. */
export interface Violation {
  readonly rule: string;
  readonly elements: readonly string[];
}

export interface Seen {
  readonly page: Page;
  /** The addresses that the page asked for, its own left out. */
  readonly requests: readonly string[];
  /** What the page logged, or tried and was kept from. */
  readonly complaints: readonly string[];
}

export interface Window {
  /** Opens a file's text, `.html` or `.svg`, and hands over the page; it is closed after `use`. */
  look<T>(file: { name: string; text: string }, look: Look, use: (seen: Seen) => Promise<T>): Promise<T>;
  /** The PNG of all of a page. */
  shot(file: { name: string; text: string }, look?: Look): Promise<Buffer>;
  /** What axe-core finds in a page. It is put in by the browser, past the page's own ban of scripts. */
  violations(file: { name: string; text: string }, look?: Look): Promise<Violation[]>;
  close(): Promise<void>;
}

/** Starts the browser, with a profile of its own. */
export async function openBrowser(): Promise<Window> {
  const folder = await mkdtemp(join(tmpdir(), "playtest-browser-"));
  const browser = await chromium.launch({ executablePath: PROGRAM, args: FLAGS });
  const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

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
    violations: (file, options = {}) =>
      look(file, options, async ({ page }) => {
        await page.evaluate(axe);
        const found = (await page.evaluate("axe.run(document, { resultTypes: ['violations'] })")) as {
          violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[];
        };
        return found.violations.map(({ id, nodes }) => ({
          rule: id,
          elements: nodes.map(({ html, failureSummary = "" }) => `${html.slice(0, 200)} ${failureSummary}`),
        }));
      }),
    async close() {
      await browser.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** An SVG as pages show it: a browser takes no pictures of one that stands alone. */
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
