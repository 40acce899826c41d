/**
 * What the documents promise, checked like any other promise.
 *
 * Every link and every path leads to a file, every law names tests that exist, and no word that the
 * glossary gives up lives on in the code. Diagrams, schemas and references are generated; each is
 * checked beside what it is made from.
 */
import { existsSync, globSync, readdirSync, readFileSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { describe, expect, test } from "vitest"
import { readErrorCodes } from "./support/error-codes.ts"
import { expectGenerated } from "./support/generated.ts"
import { readSources } from "./support/source.ts"

const ROOT = resolve(import.meta.dirname, "..")
const SPEC = "docs/spec.md"
const DOCUMENTS = globSync(["*.md", "docs/**/*.md"], { cwd: ROOT }).sort()
const LAWS = 14
const ADR_INDEX = `# Decisions

Why Coppice is as it is: one page for each decision, with what was refused and what would change it.
To begin with, read 1 to 3, 7 and 10. A number that is missing was never in use; none is used again.
`
/** The folders of src, by which documents name what is in them: `store/open.ts`. */
const FOLDERS = readdirSync(join(ROOT, "src"))

/** Words that the glossary gives up for one concept, and that have a meaning of their own here. */
const OTHER_MEANING: Readonly<Record<string, string>> = {
  attempt: "a try of git's to move a ref, of which `max_attempts` counts the failed ones",
  driver: "git's merge driver",
  "error code": "what docs/generated/errors.md lists",
  issue: "what the schema library finds wrong with a value",
  lock: "what keeps others out of an index, a ref, a repository, a worktree, a home",
  message: "what a commit, an error or an agent's last word says",
  project: "what the files of a repository tell about its tools",
  push: "the method of lists",
  result: "what a gate came to, and what a call returns",
  retry: "trying again what failed for a moment",
  run: "the verb, and a program's one run: of a gate, of a command",
  step: "one of set-up and check, and what an action of a landing is given",
  tip: "the last commit of a branch, whoever's it is",
  tree: "git's tree object, and the processes below one",
}

describe("a document", () => {
  test.each(DOCUMENTS)("%s links only to what exists", (path) => {
    const links = [...read(path).matchAll(/\]\((?!https?:)([^)#\s]+)[^)]*\)/g)].map(([, to]) => to!)
    expect(links.filter((to) => !existsSync(join(ROOT, dirname(path), to)))).toEqual([])
  })

  test.each(DOCUMENTS)("%s names only files and folders that exist", (path) => {
    const named = [...read(path).matchAll(/`([a-z.][\w./*-]*\/[\w./*-]*)`/g)].map(([, one]) => one!)
    expect(named.filter(isOurs).filter((one) => pathsOf(one).length === 0)).toEqual([])
  })
})

test("every decision is in the index of decisions, by its title", async () => {
  const files = globSync("docs/adr/[0-9]*.md", { cwd: ROOT }).sort()
  const lines = files.map((path) => {
    const [, number, title] = /^# (\d+)\. (.+)$/m.exec(read(path)) ?? []
    return `- [${number}](${basename(path)}): ${title}`
  })
  await expectGenerated("docs/adr/README.md", `${ADR_INDEX}\n${lines.join("\n")}\n`)
})

describe("the specification", () => {
  const laws = read(SPEC)
    .split(/^### (?=Law \d)/m)
    .slice(1)
    .map((text) => ({ title: text.split("\n", 1).join(), text: text.split(/^##/m, 1).join() }))

  test("states every law once, in order", () => {
    const numbers = laws.map(({ title }) => Number(/^Law (\d+): \S/.exec(title)?.[1]))
    expect(numbers).toEqual(Array.from({ length: LAWS }, (_, n) => n + 1))
  })

  test.each(laws)("lists the tests of $title", ({ text }) => {
    expect(listTests(text)).not.toEqual([])
  })

  test("lists only tests that exist", () => {
    const listed = listTests(read(SPEC))
    const missing = listed.filter(({ name, path }) => !hasTest(path, name))
    expect(missing).toEqual([])
  })

  test("lists every test as the row of a table", () => {
    const text = read(SPEC)
    expect(text.match(/^- `\S+\.ts`.*$/gm)).toBeNull()
    expect(listTests(text)).toHaveLength(text.match(/^\|.*`\S+\.ts` \|$/gm)?.length ?? 0)
  })
})

describe("the promises of security", () => {
  const sections = read("docs/security.md").split(/^## /m).slice(1)
  const rowsOf = (text: string) => [...text.matchAll(/^\| (?!promise )([^|]+?) \| (.*) \|$/gm)]

  test.each(sections.map((text) => [text.split("\n", 1).join(), text]))(
    "name tests that exist, and what is not promised: %s",
    (_, text) => {
      expect(text).toMatch(/^Not promised: /m)
      const rows = rowsOf(text)
      expect(rows).not.toEqual([])
      const missing = rows.filter(([, , tests]) => {
        const named = tests!.split(/; (?=`)/).map((one) => /^`(\S+\.ts)`: (.+)$/.exec(one))
        return named.some((one) => !one || !hasTest(one[1]!, one[2]!))
      })
      expect(missing.map(([line]) => line)).toEqual([])
    },
  )
})

describe("the glossary", () => {
  const rows = read("GLOSSARY.md")
    .split("\n")
    .filter((line) => line.startsWith("| **"))
    .map((line) => line.split("|").map((cell) => cell.trim()))
  const avoided = rows.flatMap((cells) => (cells[3] ?? "").split(",")).map((word) => word.trim())
  const used = new Set(
    readSources().flatMap(({ names }) => [...names].map((name) => ` ${wordsOf(name)} `)),
  )
  const isUsed = (word: string) => [...used].some((name) => RegExp(` ${word}s? `).test(name))

  test("defines every word once", () => {
    const words = rows.map((cells) => cells[1])
    expect(words).toEqual([...new Set(words)])
  })

  test("gives up words that no name of the code has", () => {
    const given = avoided.filter((word) => word !== "" && !(word in OTHER_MEANING))
    expect(given.filter(isUsed)).toEqual([])
  })

  test("has a word for every exception, and the code still uses it", () => {
    const words = Object.keys(OTHER_MEANING)
    expect(words.filter((word) => !avoided.includes(word) || !isUsed(word))).toEqual([])
  })
})

test("the error codes in the docs are those of the code", async () => {
  const rows = readErrorCodes().map(
    ({ code, blame, exitCode, meaning, from }) =>
      `| \`${code}\` | ${blame} | ${exitCode} | ${meaning} | ${from.map((path) => `\`${path}\``).join(" ")} |`,
  )
  const text = `# Error codes

Codes are stable; messages may change. \`blame\` says who can put it right: \`user\` (usage or
configuration), \`world\` (git, network, disk, another program) or \`bug\` (us). The daemon's errors
reach a command with the same code. \`…\` stands for what a message fills in.

| code | blame | exit code | means | from |
|---|---|---|---|---|
${rows.join("\n")}
`
  await expectGenerated("docs/generated/errors.md", text)
})

function read(path: string): string {
  return readFileSync(join(ROOT, path), "utf8")
}

/** Whether something that a document names would be a path of this repository, or of src. */
function isOurs(named: string): boolean {
  const [first = ""] = named.split("/")
  return FOLDERS.includes(first) || existsSync(join(ROOT, first))
}

function pathsOf(named: string): readonly string[] {
  return globSync([named, `src/${named}`], { cwd: ROOT })
}

type ListedTest = { readonly name: string; readonly path: string }

/** Rows of the form ``| name of a test | `its/file.test.ts` |``. */
function listTests(text: string): readonly ListedTest[] {
  const rows = text.matchAll(/^\| ([^|]+) \| `(\S+\.ts)` \|$/gm)
  return [...rows].map(([, name, path]) => ({ name: name!, path: path! }))
}

/** A document names a test exactly as its file does, with placeholders, or `every test` of a file. */
function hasTest(path: string, name: string): boolean {
  if (!existsSync(join(ROOT, path))) return false
  if (name === "every test") return /^ *(test|describe|it)\b/m.test(read(path))
  return ['"', "'", "`"].some((quote) => read(path).includes(`${quote}${name}${quote}`))
}

/** `findRunningJob` and `FIND_RUNNING_JOB` are `find running job`. */
function wordsOf(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll("_", " ")
    .toLowerCase()
}
