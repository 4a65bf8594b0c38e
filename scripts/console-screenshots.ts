/**
 * `npm run screenshots`: draws the pictures of docs/guide/console.md from the demo studio. It needs a build and Chromium, whose path
 * PLAYTEST_CHROMIUM sets. The clock of the service is fixed, so that pictures only change when pages do.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { toPalettePng } from "./palette-png.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const FOLDER = join(ROOT, "docs", "images");
const NOW = "2026-03-14T12:00:00Z";
/** The maximum size of a picture in bytes, because everybody who clones the repository gets all versions. */
const MAX_BYTES = 120_000;
/** How long the service may take to start and stop, ms. */
const WAIT_MS = 120_000;

interface Picture {
  readonly name: string;
  readonly path: string;
  readonly theme?: "light" | "dark";
  readonly width?: number;
  readonly height: number;
  /** Follows links from the page to the page that is drawn. */
  readonly follow?: (page: Page) => Promise<void>;
}

const pictures: readonly Picture[] = [
  { name: "console-status", path: "/games/ember", height: 1060 },
  { name: "console-compare", path: "/games/ember/compare", height: 1000 },
  {
    name: "console-heatmap",
    path: "/games/ember/heatmap?build=0.9.0&compare=0.8.0",
    theme: "dark",
    height: 900,
  },
  {
    name: "console-session",
    path: "/games/ember/sessions?build=0.9.0&env=production",
    height: 900,
    async follow(page) {
      await page.locator("tbody th a").nth(2).click();
      await page.locator("#timeline").scrollIntoViewIfNeeded();
      await page.evaluate("document.getElementById('timeline').scrollIntoView()");
    },
  },
  { name: "console-phone", path: "/games/ember", width: 390, height: 844 },
];

interface Demo {
  readonly url: string;
  readonly key: string;
  stop(): Promise<void>;
}

/** Starts the demo with separate settings and state. */
async function startDemo(folder: string): Promise<Demo> {
  const readyFile = join(folder, "ready.json");
  const args = [
    "server",
    "start",
    "--demo",
    "--now",
    NOW,
    "--port",
    "0",
    "--limits",
    "off",
    "--ready-file",
    readyFile,
  ];
  const env = { ...process.env, XDG_CONFIG_HOME: folder, XDG_STATE_HOME: folder };
  const child = spawn(process.execPath, ["bin/playtest.js", ...args], {
    cwd: ROOT,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data", { signal: AbortSignal.timeout(WAIT_MS) });
  const { url, managementKey } = JSON.parse(await readFile(readyFile, "utf8")) as {
    url: string;
    managementKey: string;
  };
  return {
    url,
    key: managementKey,
    async stop() {
      child.kill("SIGTERM");
      await once(child, "exit", { signal: AbortSignal.timeout(WAIT_MS) });
    },
  };
}

async function draw(browser: Browser, { url, key }: Demo, picture: Picture): Promise<void> {
  const { name, path, theme = "light", width = 1000, height, follow } = picture;
  const context = await browser.newContext({ colorScheme: theme, viewport: { width, height } });
  const page = await context.newPage();
  await page.goto(url + path);
  await page.getByLabel("Management key").fill(key);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.locator("header.top").waitFor();
  await follow?.(page);
  await page.evaluate("document.activeElement.blur()");
  const png = toPalettePng(await page.screenshot());
  if (png.length > MAX_BYTES) throw new Error(`${name}.png has ${png.length} bytes, more than ${MAX_BYTES}`);
  await writeFile(join(FOLDER, `${name}.png`), png);
  console.log(`docs/images/${name}.png: ${png.length} bytes`);
  await context.close();
}

const folder = await mkdtemp(join(tmpdir(), "playtest-screenshots-"));
const demo = await startDemo(folder);
const browser = await chromium.launch({
  executablePath: process.env.PLAYTEST_CHROMIUM ?? "/usr/bin/chromium",
  args: [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--force-color-profile=srgb",
    "--font-render-hinting=none",
  ],
});
try {
  for (const picture of pictures) await draw(browser, demo, picture);
} finally {
  await browser.close();
  await demo.stop();
  await rm(folder, { recursive: true, force: true });
}
