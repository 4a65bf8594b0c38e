/** completion: prints the completion script of a shell, generated from the commands. */
import { readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { readAsset } from "../../shared/executable.ts";
import { command } from "../command.ts";
import { unknownValue } from "../errors.ts";
import type { Io } from "../io.ts";

/** The scripts in completions/, by shell. */
const scripts: Readonly<Record<string, string>> = {
  bash: "playtest.bash",
  zsh: "_playtest",
  fish: "playtest.fish",
  powershell: "playtest.ps1",
};

const shells = Object.keys(scripts);

const completionCommand = command({
  path: "completion",
  summary: "Print a shell completion script",
  details: [
    "Install it once for your shell:",
    "  bash        playtest completion bash \\",
    "                > ~/.local/share/bash-completion/completions/playtest",
    "              or, without bash-completion, add to ~/.bashrc:",
    '              eval "$(playtest completion bash)"',
    "  zsh         add to ~/.zshrc, after compinit:",
    "              source <(playtest completion zsh)",
    "  fish        playtest completion fish \\",
    "                > ~/.config/fish/completions/playtest.fish",
    "  powershell  add to $PROFILE:",
    "              playtest completion powershell | Out-String | Invoke-Expression",
    "",
    "Completions include the names of games, builds, sessions, batches and experiments from the results of earlier " +
      "commands, so a key press never waits for the network. Names older than 10 minutes are refreshed in the " +
      "background unless PLAYTEST_NO_COMPLETION_REFRESH or CI is set.",
  ].join("\n"),
  args: [{ name: "<shell>", describe: shells.join(", "), choices: shells }],
  examples: ["completion bash", "completion zsh"],
  async run({ io }, { args: [shell = ""] }) {
    const name = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
    if (name === undefined) throw unknownValue("shell", shell, shells);
    return { data: undefined, raw: (readAsset(`completions/${name}`) ?? readScript(io, name)).toString() };
  },
});

function readScript({ self }: Io, name: string): Buffer {
  const program = realpathSync(self.at(-1) ?? "");
  return readFileSync(join(dirname(program), "..", "completions", name));
}

export const commands = [completionCommand];
