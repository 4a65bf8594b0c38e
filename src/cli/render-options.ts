/** Determines the render options from the streams, the environment and the flags. */
import type { RenderOptions } from "../render/options.ts";
import type { Io } from "./io.ts";
import type { Settings } from "./settings.ts";

const DEFAULT_WIDTH = 80;

/** The render options for stdout. */
export function renderOptions(io: Io, settings: Settings): RenderOptions {
  const { flags } = settings;
  const tty = io.out.isTTY;
  return {
    width: io.out.columns ?? DEFAULT_WIDTH,
    color: flags.plain ? 0 : colorLevel(io, flags.color),
    plain: flags.plain,
    wide: flags.wide,
    tty,
    now: io.now(),
    tz: settings.tz.value,
  };
}

/** The color level: --color takes precedence over NO_COLOR, then FORCE_COLOR, then what the terminal supports. */
function colorLevel({ env, out }: Io, when: Settings["flags"]["color"]): RenderOptions["color"] {
  const clampLevel = (level: number) => Math.max(1, Math.min(3, level)) as 1 | 2 | 3;
  if (when === "never") return 0;
  if (when === "always") return clampLevel(out.colors || 3);
  if (env.NO_COLOR) return 0;
  const force = env.FORCE_COLOR;
  if (force !== undefined && force !== "") {
    if (force === "0" || force === "false") return 0;
    return /^[123]$/.test(force) ? clampLevel(Number(force)) : clampLevel(out.colors || 1);
  }
  return out.isTTY && env.TERM !== "dumb" ? out.colors : 0;
}
