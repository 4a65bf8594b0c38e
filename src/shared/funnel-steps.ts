/** The steps of a funnel as one text: commas separate them, so a comma in a name is escaped. */

export const joinSteps = (steps: readonly string[]): string =>
  steps.map((step) => step.replaceAll("\\", "\\\\").replaceAll(",", "\\,")).join(",");

/** Splits the steps at their commas, except those after a backslash. */
export function splitSteps(text: string): string[] {
  const parts: string[] = [""];
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? "";
    if (character === ",") parts.push("");
    else {
      const isEscaped = character === "\\" && (text[at + 1] === "," || text[at + 1] === "\\");
      if (isEscaped) at += 1;
      parts[parts.length - 1] += isEscaped ? (text[at] ?? "") : character;
    }
  }
  return parts.map((part) => part.trim());
}
