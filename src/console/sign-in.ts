/** The form that asks for a management key. */
import { el, fragment } from "../render/svg/element.ts";
import { renderFrame } from "./layout.ts";

export interface SignInForm {
  /** The address to open afterwards. */
  readonly next: string;
  /** Why the last attempt failed; null for the first one. */
  readonly problem: string | null;
}

const PROBLEM_ID = "problem";

export function renderSignIn({ next, problem }: SignInForm): string {
  return renderFrame(
    "Sign in",
    el(
      "main",
      { class: "narrow" },
      el("p", { class: "brand" }, "playtest"),
      el("h1", {}, "Sign in"),
      problem === null ? null : el("p", { class: "problem", id: PROBLEM_ID, role: "alert" }, problem),
      el(
        "form",
        { method: "post", action: "/sign-in", class: "stacked" },
        el("input", { type: "hidden", name: "next", value: next }),
        el("label", { for: "key" }, "Management key"),
        el("input", {
          ...{ type: "password", name: "key", id: "key", required: "", autofocus: "", maxlength: 200 },
          autocomplete: "off",
          "aria-describedby": problem === null ? "help" : `${PROBLEM_ID} help`,
        }),
        el("button", { type: "submit" }, "Sign in"),
      ),
      el(
        "p",
        { class: "note", id: "help" },
        fragment(
          "Whoever runs the server can create a key for you with ",
          el("code", {}, "playtest admin keys create"),
          ". You stay signed in for 12 hours, or until the key is revoked.",
        ),
      ),
    ),
  );
}

/** What a browser shows for a moment while it opens an address again. */
export function renderReopening(address: string): string {
  return renderFrame(
    "Opening the page",
    el("main", { class: "narrow" }, el("p", {}, el("a", { href: address }, "Open the page"))),
  );
}
