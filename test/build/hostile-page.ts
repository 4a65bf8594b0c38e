/** A page whose texts contain roff commands. */
import { code, heading, type Page, paragraph, terms } from "../../scripts/reference/page.ts";

export const hostilePage: Page = {
  name: "hostile",
  section: 7,
  summary: ".so /etc/passwd",
  blocks: [
    heading('a "b" \\n'),
    paragraph(".de x"),
    paragraph("'apostrophe \\(co ^~ `--flag` naïve 🎮"),
    code([".ex \\\\"]),
    ...terms(["term", "text"], [[".term", ".text"]]),
  ],
};
