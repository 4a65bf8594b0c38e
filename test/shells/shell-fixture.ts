/** A folder for shell tests: cached names, and a `playtest` command that completes and otherwise records its arguments. */
import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { cacheNames } from "../../src/cli/completion/add-names.ts";
import type { NameKind } from "../../src/cli/completion/names.ts";
import { freshFolder, NOW } from "../harness.ts";

const root = join(import.meta.dirname, "..", "..");
const program = join(root, "bin", "playtest.js");
const BASE_URL = "http://127.0.0.1:4400";

/** The path of a generated script. */
export const completions = (name: string) => join(root, "completions", name);

/** Names that a shell might run or split. Each has a different prefix of two letters. */
export const hostileNames = [
  "qa it's two words",
  'qb "quoted" name',
  "qc $(touch pwned)",
  "qd `touch pwned`",
  "qe;touch pwned",
  "qf & touch pwned",
  "qg|touch pwned > pwned",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: what a shell would expand
  "qh $HOME ${HOME} %PATH%",
  "qi * ? [a-z] {a,b}",
  "qj back\\slash \\n",
  "qk ünïcode ✓",
  "ql !! !x",
  "qm a:b=c@d,e",
  "qn (touch pwned) # <x>",
];

/** Names with a special first character. Each is the only name of its kind, because the character cannot be typed first. */
export const namesSpecialAtStart = {
  sessions: ["~root"],
  batches: ["#hash"],
  experiments: ["=zsh"],
} as const;

/** Completes and runs a command for each of these names. Returns the arguments. */
export async function completeSpecialNames(
  fixture: ShellFixture,
  terminal: Terminal,
): Promise<(string | undefined)[]> {
  const got: (string | undefined)[] = [];
  for (const line of ["sessions get", "batches get", "experiments compare"]) {
    const before = fixture.calls().length;
    terminal.type(`playtest ${line} \t\r`);
    await terminal.until(() => fixture.calls().length > before);
    got.push(fixture.calls().at(-1)?.[2]);
  }
  return got;
}

export interface ShellFixture {
  readonly folder: string;
  readonly env: Record<string, string>;
  /** The arguments of each `playtest` call so far. */
  calls(): string[][];
  /** Whether the shell has executed a name. */
  pwned(): boolean;
}

/** Creates a fixture with cached names. */
export async function createShellFixture(
  names: Partial<Record<NameKind, readonly string[]>>,
): Promise<ShellFixture> {
  const folder = freshFolder();
  const bin = join(folder, "bin");
  mkdirSync(bin);
  const stub = `#!/bin/sh
if [ "$1" = __complete ]; then exec "${process.execPath}" "${program}" "$@"; fi
for word in "$@"; do printf '%s\\0' "$word"; done >> "${folder}/calls"
printf '\\n\\0' >> "${folder}/calls"
`;
  writeFileSync(join(bin, "playtest"), stub);
  chmodSync(join(bin, "playtest"), 0o755);
  writeFileSync(join(folder, "notes.ndjson"), "");
  for (const [kind, list] of Object.entries(names) as [NameKind, readonly string[]][]) {
    const entries = list.map((name, at) => [name, "game_1", list.length - at] as const);
    const scope = { stateDir: join(folder, "playtest"), profile: "default", baseUrl: BASE_URL };
    await cacheNames(scope, [{ kind, entries, requestedGame: "", completeFor: null }], NOW);
  }
  return {
    folder,
    env: {
      PATH: `${bin}:${process.env.PATH}`,
      HOME: folder,
      ZDOTDIR: folder,
      XDG_CONFIG_HOME: folder,
      XDG_STATE_HOME: folder,
      XDG_DATA_HOME: folder,
      PLAYTEST_BASE_URL: BASE_URL,
      PLAYTEST_NO_COMPLETION_REFRESH: "1",
      LANG: "C.UTF-8",
      TERM: "xterm",
    },
    calls() {
      if (!existsSync(join(folder, "calls"))) return [];
      const runs = readFileSync(join(folder, "calls"), "utf8").split("\n\0").slice(0, -1);
      return runs.map((run) => run.split("\0").slice(0, -1));
    },
    pwned: () => existsSync(join(folder, "pwned")),
  };
}

/** Runs a shell until it exits. Returns the lines that it printed. */
export async function runShell(
  { folder, env }: ShellFixture,
  shell: string,
  args: string[],
): Promise<string[]> {
  const { stdout, stderr } = await execa(shell, args, { cwd: folder, env, extendEnv: false });
  if (stderr !== "") throw new Error(stderr);
  return stdout.split("\n").filter((line) => line !== "");
}

/** A shell in a terminal. */
export class Terminal {
  readonly #child: ChildProcess;
  readonly #gone: Promise<void>;
  screen = "";

  constructor({ folder, env }: ShellFixture, command: string) {
    const line = `stty rows 50 cols 200; exec ${command}`;
    this.#child = spawn("script", ["-qfec", line, "/dev/null"], { cwd: folder, env, stdio: "pipe" });
    this.#child.stdout?.on("data", (chunk) => {
      this.screen += String(chunk);
    });
    this.#gone = new Promise((resolve) => this.#child.once("exit", () => resolve()));
  }

  type(text: string): void {
    this.#child.stdin?.write(text);
  }

  /** Waits until a condition is true. The timeout of the test limits the wait. */
  async until(condition: () => boolean): Promise<void> {
    let ended = false;
    void this.#gone.then(() => {
      ended = true;
    });
    while (!condition()) {
      if (ended) throw new Error(`The shell ended: ${this.screen}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  async end(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#gone;
  }
}

/** Types the first two letters of each name and a tab. Returns the arguments that the command was run with. */
export async function completeNames(
  fixture: ShellFixture,
  terminal: Terminal,
  start: string,
  names: readonly string[] = hostileNames,
): Promise<string[]> {
  const got: string[] = [];
  for (const name of names) {
    const before = fixture.calls().length;
    terminal.type(`${start}${name.slice(0, 2)}\t\r`);
    await terminal.until(() => fixture.calls().length > before);
    got.push(fixture.calls().at(-1)?.slice(2).join("|") ?? "");
  }
  return got;
}
