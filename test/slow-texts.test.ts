/**
 * Each reader of a file that an agent can write takes time in proportion to its text: the daemon has one thread.
 *
 * The compiler finds what takes such a text (support/file-readers.ts), so a new reader fails here until it is tried.
 */
import { Script } from "node:vm"
import { describe, expect, test } from "vitest"
import { parseConfigText } from "../src/api/client/config/config-file.ts"
import { readYaml } from "../src/base/text/yaml.ts"
import { layConfig } from "../src/config/layers.ts"
import { narrowed } from "../src/features/containment/rules/container-calls.ts"
import { SETUP_FILES } from "../src/features/foreign-setup/rules.ts"
import { parseReport } from "../src/features/session-file/rules.ts"
import { readMarkdownItem } from "../src/features/sources/rules/front-matter.ts"
import { draftOfWorkflow, readWorkflow } from "../src/features/sources/rules/symphony.ts"
import { listAsked, listChangedKeys } from "../src/features/trust/rules.ts"
import { findFileReaders } from "./support/file-readers.ts"

/** As long as a configuration may be. */
const CONFIG_CHARS = 64 * 1024
/** Steps in proportion to the square of this take minutes. */
const CHARS = 512 * 1024
/** A reader that takes time in proportion needs some ms. */
const MS_MAX = 10_000

type Read = (text: string) => unknown
type Trial = readonly [read: Read, chars: number, starts: readonly string[], end: string]
const STARTS = ["", "---\n", "a: ", '"', "{"]
/** All of them read the same YAML, which is tried with every start by itself. */
const ofConfig = (read: Read): Trial => [read, CONFIG_CHARS, ["a: "], "\0"]
const withHead = (read: Read): Trial => [read, CHARS, ["", "---\n", "---\n{"], "\n---\n"]
/** By its place: the function and its texts; or why it needs no trial. */
const READERS: Readonly<Record<string, Trial | string>> = {
  "src/base/text/yaml.ts: readYaml": [readYaml, CONFIG_CHARS, STARTS, "\0"],
  "src/api/client/config/config-file.ts: parseConfigText": ofConfig((text) =>
    parseConfigText({ home: "/h", path: "f" }, text, {}),
  ),
  "src/config/layers.ts: layConfig": ofConfig((main) =>
    layConfig({ main, local: "a: 1", user: null }),
  ),
  "src/features/trust/rules.ts: listAsked": ofConfig((text) => listAsked({ text, user: null })),
  "src/features/trust/rules.ts: listChangedKeys": ofConfig((text) => listChangedKeys("a: 1", text)),
  "src/features/trust/rules.ts: trustStanding": "listAsked",
  "src/features/sources/rules/symphony.ts: readWorkflow": ofConfig(readWorkflow),
  "src/features/sources/rules/symphony.ts: draftOfWorkflow": ofConfig((text) =>
    draftOfWorkflow(text, "f"),
  ),
  "src/features/foreign-setup/foreign-setup.ts: read": ofConfig((text) =>
    SETUP_FILES.map(({ read }) => read(text)),
  ),
  "src/features/containment/rules/container-calls.ts: narrowed": [narrowed, CHARS, STARTS, ""],
  "src/features/session-file/rules.ts: parseReport": [
    (text) => parseReport(text, 0),
    CHARS,
    STARTS,
    "",
  ],
  "src/features/sources/rules/front-matter.ts: readMarkdownItem": withHead((text) =>
    readMarkdownItem(text, "f"),
  ),
  "src/config/live/live-config.ts: parse": "parseConfigText",
  "src/features/homes/read-names.ts: namesIn": "readYaml",
  "src/features/trust/find-unapproved.ts: itemsOf": "listAsked and listChangedKeys",
  "src/kernel/git/change/own-index.ts: parseOwner": "JSON.parse",
  "src/features/runtimes/transcripts.ts: wholeLines": "looks for the last line break",
  "src/kernel/git/ask/check-ignore.ts: makePatterns": "writes it for git",
  "src/features/containment/container-engine.ts: askEngine": "starts the program of that name",
  "src/features/containment/left-containers.ts: removeContainers":
    "starts the program of that name",
  "src/base/ids.ts: branchRef": "puts a word before it",
  "src/base/assert.ts: assert": "looks whether there is one",
}

const PIECES = [
  ..."\n\r\t a/-=\"'\\#[{:0&*|>",
  ...[
    "\r\n",
    "a: ",
    "- ",
    "---\n",
    "a: {",
    "${A:-",
    "${A}",
    "&a ",
    "*a, ",
    "[\n",
    " \n",
    "\\n",
    "<<: ",
  ],
]
function* slowTexts([, chars, starts, end]: Trial): Generator<string> {
  for (const start of starts)
    for (const piece of PIECES) {
      const room = chars - start.length - end.length
      yield start + piece.repeat(Math.ceil(room / piece.length)).slice(0, room) + end
    }
}

/** The words of a pattern are a way into it. */
const wordsIn = (pattern: RegExp): string[] => pattern.source.match(/[a-z]+(?:: )?/gi) ?? []

const script = new Script("globalThis.readSlowText()")
/** Ends a reader that takes too long. Its answer does not matter. */
function tryWith(trial: Trial): void {
  for (const text of slowTexts(trial)) {
    Object.assign(globalThis, { readSlowText: () => trial[0](text) })
    try {
      script.runInThisContext({ timeout: MS_MAX })
    } catch (error) {
      if ((error as { code?: string }).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") continue
      throw new Error(`it takes too long for ${JSON.stringify(text.slice(0, 30))}…`)
    }
  }
}

/** Texts that are compared, joined or shown, and not read further, or whose readers are in READERS. */
const KEPT_PLAIN = [
  ["src/api/client/config/change-config.ts", "laid"],
  ...["main", "local", "user"].map((layer) => [
    "src/api/client/config/config-layers.ts",
    `read(${layer})`,
  ]),
  ["src/config/live/live-config.ts", "text"],
  ["src/features/git-hooks/repository-hooks.ts", "readConfigText(file) ?? undefined"],
  ["src/kernel/workspaces/task-refs.ts", "readPlainText(path)?.trimEnd()"],
].map((parts) => parts.join(": "))

const found = findFileReaders()

test("each function that takes the text of an agent's file is tried here, or needs no trial [36.7]", () => {
  expect([...found.functions].filter((name) => !(name in READERS))).toEqual([])
})

test("such a text stays one, so that all that reads it is found [36.7]", () => {
  expect(found.lost).toEqual(KEPT_PLAIN)
})

describe("a slow text takes no longer than its length [36.7]", () => {
  const tried = Object.entries(READERS).filter(([, how]) => typeof how !== "string")
  test.each(tried as [string, Trial][])("%s", (_, trial) => tryWith(trial))

  test.each([...found.patterns])("%s", (_, written) => {
    const [, source = "", flags] = /^\/(.*)\/([a-z]*)$/s.exec(written)!
    const pattern = new RegExp(source, flags)
    const read = (text: string) => text.replace(pattern, "")
    for (const end of ["", "\0"]) tryWith([read, CHARS, ["", ...wordsIn(pattern)], end])
  })
})
