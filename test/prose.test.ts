/**
 * Plain English, checked: comments, command-line texts, errors, prompts, test names and documents.
 *
 * The rules find what they can find. They do not replace a reader.
 */
import { globSync } from "node:fs"
import { dirname } from "node:path"
import { expect, test } from "vitest"
import { readCodeTexts, readDocument, sentencesOf, type Text, wordCount } from "./support/prose.ts"
import { ROOT } from "./support/source.ts"

const DOCUMENTS = globSync(
  ["*.md", "docs/*.md", "docs/adr/*.md", "src/**/WORDS.md", "test/WORDS.md"],
  { cwd: ROOT },
).sort()
const SENTENCE_WORDS_MAX = 35
const AVERAGE_WORDS_MAX = 20

/** Words that a plain-spoken engineer does not use. */
const WORDS: readonly { what: RegExp; instead: string }[] = [
  { what: /\b(whoever|whom)\b/i, instead: "a noun" },
  { what: /\b(nobody|somebody)('s)?\b|\bnone's\b/i, instead: "no user, no task, another program" },
  { what: /\bof (none|nothing)\b/i, instead: "without a task, has no branch" },
  { what: /\b(shall|anew|meanwhile|thereby|in turn)\b/i, instead: "must, again; or drop it" },
  { what: /\b(is|are|was|were) (not )?to [a-z]+\b/i, instead: "must, will, or the present tense" },
  {
    what: /\b(is|are|was|were|be|been) (not )?(told (?!apart)|told$|looked|heard)/i,
    instead: "reports, checks, sees: with a subject",
  },
  { what: /\b(that|those) which\b/i, instead: "a noun" },
  { what: /\bgits\b/i, instead: "git processes, git commands" },
  { what: /\bbeside(?=[.,;:)]|$)/i, instead: "next to it; or drop it" },
]

/** How a sentence does not begin. */
const BEGINNINGS: readonly { what: RegExp; instead: string }[] = [
  { what: /^\W*(who|what|whatever)\b(?!.*\?)/i, instead: "a noun as the subject" },
  {
    what: /^\W*Of (an?|the|all|each|every|its|it|them|these|those|this|that|what|others?)\b/,
    instead: "subject, verb, object",
  },
  {
    what: /^\W*(For|From|To|In|On|With|At|By) (what|who|those)\b(?!.*\?)/,
    instead: "subject, verb, object",
  },
]

/**
 * How a comment does not begin: with a pronoun that stands for something outside of the comment. `This` or
 * `These` before a noun names it.
 */
const PRONOUN =
  /^\W*(it|they|its|their|theirs|them|those|that|(this|these) (is|are|was|were|has|have|had|do|does|did|can|could|may|might|must|will|would|ones?|two|three|much|comes?|describes?|also|alone|only|too|waits?))\b/i

type Offence = { readonly folder: string; readonly text: string }

const texts = [...readCodeTexts(), ...DOCUMENTS.flatMap(readDocument)]
const offences = Map.groupBy([...texts.flatMap(judge), ...longWinded()], ({ folder }) => folder)
const folders = new Set(texts.map(({ path }) => folderOf(path)))

test.each([...folders].sort())("plain English in %s", (folder) => {
  expect((offences.get(folder) ?? []).map(({ text }) => text)).toEqual([])
})

function judge({ path, line, text, isOpening }: Text): Offence[] {
  const sentences = sentencesOf(text)
  const found = [
    ...(isOpening && PRONOUN.test(text) ? [{ instead: "the noun, in place of the pronoun" }] : []),
    ...WORDS.filter(({ what }) => what.test(text)),
    ...sentences.flatMap((one) => BEGINNINGS.filter(({ what }) => what.test(one))),
  ].map(({ instead }) => `instead: ${instead}`)
  const long = sentences.map(wordCount).filter((count) => count > SENTENCE_WORDS_MAX)
  return [...found, ...long.map((count) => `${count} words in a sentence`)].map((why) => ({
    folder: folderOf(path),
    text: `${path}:${line}: ${why}: ${text}`,
  }))
}

/** Documents whose sentences are too long on average. Headings and tables have no sentences. */
function longWinded(): Offence[] {
  return DOCUMENTS.flatMap((path) => {
    const prose = texts.filter((one) => one.path === path && one.isProse)
    const counts = prose.flatMap(({ text }) => sentencesOf(text)).map(wordCount)
    const average = counts.reduce((sum, count) => sum + count, 0) / counts.length
    if (!(average > AVERAGE_WORDS_MAX)) return []
    return [{ folder: folderOf(path), text: `${path}: ${average.toFixed(1)} words per sentence` }]
  })
}

/** A document stands for itself, except decisions; a folder of src or test is one. */
function folderOf(path: string): string {
  if (path.endsWith(".md") && dirname(path) !== "docs/adr") return path
  const [top = "", second = ""] = path.split("/")
  return ["src", "test", "docs"].includes(top) && !second.includes(".") ? `${top}/${second}` : top
}
