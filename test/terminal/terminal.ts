/** A real terminal: a tmux window with bash, on its own socket. It is closed when the test ends. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { execa } from "execa";
import { onTestFinished } from "vitest";
import { root } from "../cli/program.ts";
import { freshFolder } from "../harness.ts";

/** The maximum time until expected text appears, in ms. */
const PATIENCE = 120_000;

export interface Ran {
  readonly code: number;
  /** The output after the line was entered, with wrapped lines joined. */
  readonly lines: readonly string[];
  readonly text: string;
}

export interface Shown {
  /** The output with its color escape sequences. */
  readonly escapes?: boolean;
}

/** A window with a shell in a new home folder. */
export class Terminal {
  readonly home = freshFolder();
  // The path of a socket must be short.
  readonly #sockets = mkdtempSync(join(tmpdir(), "pt-"));
  #entered = 0;

  /** Opens a window with a number of columns. */
  static async open(columns: number, env: Readonly<Record<string, string>> = {}): Promise<Terminal> {
    const terminal = new Terminal();
    await terminal.#open(columns, env);
    return terminal;
  }

  async #open(columns: number, env: Readonly<Record<string, string>>): Promise<void> {
    const { home } = this;
    const program = join(home, "playtest");
    writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${join(root, "bin/playtest.js")}' "$@"\n`);
    chmodSync(program, 0o755);
    const variables = {
      PATH: `${home}:${process.env.PATH}`,
      TERM: "tmux-256color",
      LC_ALL: "C.UTF-8",
      HOME: home,
      XDG_CONFIG_HOME: join(home, "config"),
      XDG_STATE_HOME: join(home, "state"),
      PS1: "$ ",
      PLAYTEST_NO_COMPLETION_REFRESH: "1",
      ...env,
    };
    const given = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
    const shell = ["env", "-i", ...given, "bash", "--noprofile", "--norc"];
    await this.#tmux("-u", "new-session", "-d", "-x", String(columns), "-y", "30", "-c", home, ...shell);
    onTestFinished(async () => {
      await this.#tmux("kill-server");
      rmSync(this.#sockets, { recursive: true });
    });
    await this.#tmux("set-option", "-g", "status", "off");
    await this.shows("$ ");
  }

  /** Enters a line. Its output follows a marker. */
  async enter(line: string): Promise<void> {
    this.#entered += 1;
    const nth = this.#entered;
    writeFileSync(join(this.home, `r${nth}`), `echo "<${nth}<"\n${line}\necho "[$?:${nth}]"\n`);
    await this.type(`. ./r${nth}`);
    await this.press("Enter");
  }

  /** Enters a line and waits until the command has finished. */
  async run(line: string, shown: Shown = {}): Promise<Ran> {
    await this.enter(line);
    return await this.ended(shown);
  }

  /** Waits until the last command has finished. */
  async ended(shown: Shown = {}): Promise<Ran> {
    const done = new RegExp(`\\[(\\d+):${this.#entered}\\]$`, "m");
    await this.shows(done);
    const all = await this.screen(shown);
    const code = Number(done.exec(all)?.[1]);
    const from = all.indexOf(`<${this.#entered}<`);
    const text = all.slice(all.indexOf("\n", from) + 1, all.search(done));
    const lines = text.split("\n").map((line) => line.trimEnd());
    return { code, text, lines: lines.at(-1) === "" ? lines.slice(0, -1) : lines };
  }

  /** Types text, without Enter. */
  async type(text: string): Promise<void> {
    await this.#tmux("send-keys", "-l", text);
  }

  /** Presses keys, by their names in tmux. */
  async press(...keys: string[]): Promise<void> {
    await this.#tmux("send-keys", ...keys);
  }

  /** Changes the width of the window, and waits until programs see it. */
  async resize(columns: number): Promise<void> {
    await this.#tmux("resize-window", "-x", String(columns), "-y", "30");
    await this.run(`until [ "$(stty size)" = "30 ${columns}" ]; do sleep 0.02; done`);
  }

  /** The whole content of the terminal, including lines that scrolled off. */
  async screen({ escapes = false }: Shown = {}): Promise<string> {
    return await this.#tmux("capture-pane", "-p", "-J", "-S", "-", ...(escapes ? ["-e"] : []));
  }

  /** Waits until the terminal contains a text. Returns its whole content. */
  async shows(wanted: string | RegExp): Promise<string> {
    let text = "";
    for (let waited = 0; waited < PATIENCE; waited += 30) {
      text = await this.screen();
      if (typeof wanted === "string" ? text.includes(wanted) : wanted.test(text)) return text;
      await pause(30);
    }
    throw new Error(`The terminal does not show ${wanted}:\n${text}`);
  }

  /** Whether the cursor is visible. */
  async cursor(): Promise<boolean> {
    return (await this.#tmux("display-message", "-p", "#{cursor_flag}")).trim() === "1";
  }

  async #tmux(...args: string[]): Promise<string> {
    const options = { env: { TMUX_TMPDIR: this.#sockets, TMUX: "" }, stripFinalNewline: false };
    return (await execa("tmux", ["-f", "/dev/null", "-L", "test", ...args], options)).stdout;
  }
}
