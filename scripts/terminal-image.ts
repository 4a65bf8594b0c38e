/** Converts terminal output to a PNG: `tmux capture-pane -e -p | tsx scripts/terminal-image.ts dark out.png`. */
import { readFileSync, writeFileSync } from "node:fs";
import { drawTerminal, renderPng } from "./terminal-svg.ts";

const [theme = "dark", out = "terminal.png"] = process.argv.slice(2);
const { svg } = drawTerminal(readFileSync(0, "utf8"), theme === "light" ? "light" : "dark");
writeFileSync(out, await renderPng(svg));
