/** The frame of every page: navigation, heading, and how to get the same in a terminal or as JSON. */
import type { BuildList } from "../contract/build-list.ts";
import { resources } from "../contract/resources.ts";
import { type Child, el, fragment, htmlPage, type Markup } from "../render/svg/element.ts";
import { showName } from "./cells.ts";
import { commandCode } from "./details.ts";
import { pageFiles } from "./files.ts";
import {
  buildChoices,
  environmentField,
  type FilterField,
  filterForm,
  listEnvironments,
} from "./filter-form.ts";
import { linkTo, linkWith } from "./links.ts";
import type { NavigationEntry, Page, PageContent, PageInput } from "./page.ts";
import { THE_LATEST } from "./play-scope.ts";

/** The pages of a game by what they are about. The first of a group leads to it. */
const groups: ReadonlyArray<readonly [text: string, ...pages: readonly NavigationEntry[]]> = [
  ["Status", ["", "Status"], ["suggestions", "What to fix first"]],
  [
    "Builds",
    ["builds", "Builds"],
    ["compare", "Compare"],
    ["report", "Report"],
    ["dropoff", "Where testers quit"],
    ["funnel", "Funnel"],
  ],
  ["Heatmap", ["heatmap", "Heatmap"]],
  [
    "Sessions",
    ["sessions", "Sessions"],
    ["insights", "Insights"],
    ["crashes", "Crashes"],
    ["events", "Events"],
    ["live", "Live"],
  ],
  ["Testers", ["testers", "Testers"], ["never-played", "Never played"], ["batches", "Batches"]],
  ["Feedback", ["feedback", "Feedback"], ["bug-reports", "Bug reports"]],
  ["Experiments", ["experiments", "Experiments"]],
];

const grouped = new Set(groups.flatMap(([, ...pages]) => pages.map(([segment]) => segment)));

/** Every other list has a group of its own. */
const allGroups: typeof groups = [
  ...groups,
  ...resources.flatMap(({ name, page }) =>
    page && !grouped.has(name) ? [[page.title, [name, page.title]] as const] : [],
  ),
];

/** What the frame shows besides the page. */
interface Frame {
  /** Their name from a proxy; null if they can sign out here. */
  readonly reader: string | null;
  /** The builds of the game; null for pages of no game. */
  readonly builds: BuildList | null;
}

type ShownPage = Pick<PageInput, "params" | "path" | "search"> & { readonly page: Page };

/** The whole page of somebody who is signed in. */
export function renderPage(content: PageContent, input: ShownPage, { reader, builds }: Frame): string {
  const { title, trail = [], body, command, live } = content;
  const { game } = input.params;
  const hrefOf = (entry: NavigationEntry) => toAddress(game ?? "", entry, content, input.search);
  const crumbs = [
    ...(game === undefined ? [] : [{ text: "Games", href: "/" }]),
    ...(builds && !isStart(input.page) ? [{ text: builds.game.name, href: hrefOf(["", ""]) }] : []),
    ...trail.map((entry) => ({ text: entry[1], href: hrefOf(entry) })),
  ];
  return renderFrame(
    title,
    fragment(
      el(
        "header",
        { class: "top" },
        el("a", { href: "#main", class: "skip" }, "Skip to content"),
        el("a", { href: "/", class: "brand" }, "playtest"),
        el(
          "nav",
          { "aria-label": "Breadcrumbs", class: "crumbs" },
          el(
            "ol",
            crumbs.map(({ text, href }) => el("li", el("a", { href }, showName(text)))),
          ),
        ),
        builds && scopeForm(content, input, builds),
        reader === null
          ? el("form", { method: "post", action: "/sign-out" }, el("button", { type: "submit" }, "Sign out"))
          : el("span", { class: "note" }, reader),
        game === undefined ? null : gameNavigation(input, hrefOf),
      ),
      live && el("p", { id: "stale", role: "status", class: "missing stale", hidden: "" }, STALE),
      el(
        "main",
        { id: "main", tabindex: -1, ...(live ? { "data-live": "" } : {}) },
        el("h1", showName(title)),
        body,
      ),
      el(
        "footer",
        el("p", "In a terminal: ", commandCode(...command)),
        el("p", el("a", { href: linkWith(input, { format: "json" }) }, "The same as JSON")),
      ),
    ),
  );
}

const START = "/games/{game}";
const isStart = ({ path }: Page) => path === START;

/** The address of another page of the game, with the build and the environment of this one if it has them. */
function toAddress(
  game: string,
  [segment]: NavigationEntry,
  { scope }: PageContent,
  search: URLSearchParams,
): string {
  const build = scope?.build ?? search.get("build");
  const env = scope?.env ?? search.get("env");
  const name = segment === "compare" || segment === "report" ? "b" : "build";
  return linkTo(["games", game, ...(segment === "" ? [] : [segment])], { [name]: build, env });
}

/** Chooses the build and the environment, where the page has them; null otherwise. */
function scopeForm(
  { scope = {} }: PageContent,
  { path, search, page }: ShownPage,
  { items }: BuildList,
): Markup | null {
  const { anyBuild = "all builds", fallback } = scope;
  const { shape } = page.query;
  const words = anyBuild === THE_LATEST ? [] : [{ value: "latest", text: THE_LATEST }];
  const fields: FilterField[] = [
    ...("build" in shape
      ? [
          {
            ...{ name: "build", label: "Build", any: anyBuild },
            choices: [...words, { value: "previous", text: "the one before" }, ...buildChoices(items)],
          },
        ]
      : []),
    ...("env" in shape ? [environmentField(listEnvironments(items), fallback)] : []),
  ];
  if (fields.length === 0) return null;
  return filterForm({ path, search }, fields, {
    label: "Build and environment",
    resets: false,
    button: "Go",
  });
}

/** Shown by the script while a live page cannot be loaded. */
const STALE = "The server does not respond, so this page is not current. It is tried again every 5 seconds.";

function gameNavigation({ page }: ShownPage, hrefOf: (entry: NavigationEntry) => string): Markup {
  const isHere = ([segment]: NavigationEntry) =>
    segment === "" ? isStart(page) : `${page.path}/`.startsWith(`${START}/${segment}/`);
  const link = (text: string, entry: NavigationEntry, current: boolean) =>
    el("li", el("a", { href: hrefOf(entry), "aria-current": current ? "page" : null }, text));
  const here = allGroups.find(([, ...pages]) => pages.some(isHere));
  const [title, ...pages] = here ?? [""];
  return fragment(
    el(
      "nav",
      { "aria-label": "Pages of the game", class: "tabs" },
      el(
        "ul",
        allGroups.map(([text, first]) => first && link(text, first, text === title)),
      ),
    ),
    pages.length > 1 &&
      el(
        "nav",
        { "aria-label": `Pages about ${title.toLowerCase()}`, class: "tabs more" },
        el(
          "ul",
          pages.map((entry) => link(entry[1], entry, isHere(entry))),
        ),
      ),
  );
}

/** A page with the style and script of the console. */
export function renderFrame(title: string, body: Child): string {
  return htmlPage(
    el(
      "head",
      el("meta", { charset: "utf-8" }),
      el("meta", { name: "viewport", content: "width=device-width,initial-scale=1" }),
      el("meta", { name: "color-scheme", content: "light dark" }),
      el("title", title === "playtest" ? title : `${title} · playtest`),
      el("link", { rel: "icon", href: pageFiles.icon }),
      el("link", { rel: "stylesheet", href: pageFiles.style }),
      el("script", { src: pageFiles.script, defer: "" }),
    ),
    el("body", body),
  );
}
