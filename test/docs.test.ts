/**
 * The promises of the documents, checked like any other promise.
 *
 * Every link and every path leads to a file, every promise has a test, and no word that the
 * glossary gives up lives on in the code. Diagrams, schemas and references are generated; each is
 * checked next to its source.
 */
import { existsSync, globSync, readdirSync, readFileSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { describe, expect, test } from "vitest"
import { readErrorCodes } from "./support/error-codes.ts"
import { expectGenerated } from "./support/generated.ts"
import { sentencesOf } from "./support/prose.ts"
import { readSources } from "./support/source.ts"

const ROOT = resolve(import.meta.dirname, "..")
const SPEC = "docs/spec.md"
/** The words of features, of other rooms and of the tests. GLOSSARY.md has those of the kernel. */
const WORDS = globSync(["src/**/WORDS.md", "test/WORDS.md"], { cwd: ROOT }).sort()
const DOCUMENTS = [...globSync(["*.md", "docs/**/*.md"], { cwd: ROOT }).sort(), ...WORDS]
/** A reader can learn so many in one sitting. */
const KERNEL_WORDS_MAX = 45
const LAWS = 14
/** A test's name that ends with the numbers of promises. */
const PROOF = /(["'`])((?:(?!\1)[^\n])*) \[(\d+\.\d+(?:, \d+\.\d+)*)\]\1/g
const PROMISES = `# Promises and their tests

The promises are in [spec.md](../spec.md). A test ends its name with the numbers of the promises that it proves.

| promise | test | file |
|---|---|---|
`
const ADR_INDEX = `# Decisions

Why Coppice is as it is: one page for each decision, with what was refused and what would change it.
To begin with, read 1 to 3, 7 and 10. A number that is missing was never in use; none is used again.
`
/** The folders of src, by which documents name what is in them: `kernel/store/open.ts`. */
const FOLDERS = readdirSync(join(ROOT, "src"))

/** Words that the glossary gives up for one concept, and that have a meaning of their own here. */
const OTHER_MEANING: Readonly<Record<string, string>> = {
  bot: "a program that is a user of a chat, in the chat's protocol",
  sandbox: "a setting of Codex",
  quota: "a field in the answers of the Gemini CLI",
  attempt: "a try of git's to move a ref, of which `max_attempts` counts the failed ones",
  driver: "git's merge driver",
  "error code": "a stable code in docs/generated/errors.md",
  issue: "a mistake that the schema library finds in a value",
  lock: "it keeps others out of an index, a ref, a repository, a worktree, a home",
  message: "the text of a commit, an error or an agent's last word",
  preview: "the outcome of a landing, shown before it starts",
  project: "the facts about tools in the files of a repository",
  push: "the method of lists",
  result: "the end of a gate, and the value that a call returns",
  retry: "trying again what failed for a moment",
  run: "the verb, and a program's one run: of a gate, of a command",
  step: "one of set-up and check, and what an action of a landing is given",
  tip: "the last commit of any branch",
  tree: "git's tree object, and the processes below one",
  train: "GitLab's name for a merge queue",
  webhook: "a writer of a chat that is no user, in the chat's protocol",
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

test("the readme links only to what is in the package", () => {
  const { files } = JSON.parse(read("package.json")) as { files: string[] }
  const links = [...read("README.md").matchAll(/\]\((?!https?:)([^)#\s]+)/g)].map(([, to]) => to!)
  expect(links.filter((to) => !files.includes(to.split("/")[0]!))).toEqual([])
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
  const sections = read(SPEC)
    .split(/^## /m)
    .slice(1)
    .map((text) => ({ title: text.split("\n", 1).join(), text }))
  const promises = sections.flatMap(({ text }) =>
    [...text.matchAll(/^- \*\*(\d+\.\d+)\*\* (.+(?:\n {2}.+)*)$/gm)].map(([, id, sentence]) => ({
      id: id!,
      sentence: sentence!,
    })),
  )
  const proofs = readProofs()

  test("has its laws and sections once, in order", () => {
    const titles = sections.map(({ title }) => /^(?:Law (\d+): |(\d+)\. )\S/.exec(title))
    const laws = titles.map((title) => Number(title?.[1])).filter((law) => law > 0)
    expect(laws).toEqual(Array.from({ length: LAWS }, (_, n) => n + 1))
    const numbers = titles.map((title) => Number(title?.[1] ?? title?.[2]))
    expect(numbers).toEqual(sections.map((_, n) => n + 1))
  })

  test("numbers the promises of a section in order", () => {
    const wanted = sections.flatMap(({ text }, section) =>
      [...text.matchAll(/^- /gm)].map((_, n) => `${section + 1}.${n + 1}`),
    )
    expect(promises.map(({ id }) => id)).toEqual(wanted)
  })

  test("makes every promise in one sentence", () => {
    expect(promises.filter(({ sentence }) => sentencesOf(sentence).length !== 1)).toEqual([])
  })

  test("has a test of every promise", () => {
    const proved = new Set(proofs.map(({ promise }) => promise))
    expect(promises.filter(({ id }) => !proved.has(id))).toEqual([])
  })

  test("makes every promise that a test names", () => {
    const made = new Set(promises.map(({ id }) => id))
    expect(proofs.filter(({ promise }) => !made.has(promise))).toEqual([])
  })

  test("is listed with its tests", async () => {
    const rows = promises.flatMap(({ id }) =>
      proofs
        .filter(({ promise }) => promise === id)
        .map(({ name, path }) => `| ${id} | ${name.replaceAll("|", "\\|")} | \`${path}\` |`),
    )
    await expectGenerated("docs/generated/promises.md", `${PROMISES}${rows.join("\n")}\n`)
  })
})

describe("the promises of security", () => {
  const sections = read("docs/security.md").split(/^## /m).slice(1)
  const rowsOf = (text: string) => [...text.matchAll(/^\| (?!promise )([^|]+?) \| (.*) \|$/gm)]

  test("have those among them that a machine may not keep, as `coppice doctor` says", () => {
    const lines = sections.flatMap(rowsOf).map(([line]) => line)
    const named = globSync("src/features/doctor/*.ts", { cwd: ROOT }).flatMap((path) =>
      [...read(path).matchAll(/notHeld\(.*"/g)].flatMap(([call]) => call.match(/\d+\.\d+/g) ?? []),
    )
    expect(named.length).toBeGreaterThan(0)
    const isRow = (id: string) => lines.some((line) => RegExp(`[[ ]${id}[,\\]]`).test(line))
    expect(named.filter((id) => !isRow(id))).toEqual([])
  })

  test("are summed up in one table, by adversary", () => {
    const summed = [...read("docs/security.md").matchAll(/^\| \[(.+?)\]\(#.*\|.*\|.*\|$/gm)]
    const titles = sections.map((text) => text.split("\n", 1).join())
    expect(summed.map(([, title]) => title)).toEqual(titles)
  })

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
  const rowsOf = (path: string) =>
    read(path)
      .split("\n")
      .filter((line) => line.startsWith("| **"))
      .map((line) => line.split("|").map((cell) => cell.trim()))
  const wordsIn = (path: string) => rowsOf(path).map((cells) => cells[1]!.replaceAll("*", ""))
  const rows = ["GLOSSARY.md", ...WORDS].flatMap(rowsOf)
  const avoided = rows.flatMap((cells) => (cells[3] ?? "").split(",")).map((word) => word.trim())
  const used = new Set(
    readSources().flatMap(({ names }) => [...names].map((name) => ` ${wordsOf(name)} `)),
  )
  const isUsed = (word: string) => [...used].some((name) => RegExp(` ${word}s? `).test(name))

  test("has few words of the kernel", () => {
    expect(rowsOf("GLOSSARY.md").length).toBeLessThanOrEqual(KERNEL_WORDS_MAX)
  })

  test("lists the words of each feature", () => {
    const listed = WORDS.map((path) => `| \`${path}\` | ${wordsIn(path).join(", ")} |`)
    const lines = read("GLOSSARY.md").split("\n")
    expect(lines.filter((line) => line.includes("/WORDS.md`")).toSorted()).toEqual(
      listed.toSorted(),
    )
  })

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

test("the error codes in the docs are those of the code [35.3]", async () => {
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

/** Whether something that a document names would be a path of this repository, or of src. Git's folder is not. */
function isOurs(named: string): boolean {
  const [first = ""] = named.split("/")
  if (first === ".git") return false
  return FOLDERS.includes(first) || existsSync(join(ROOT, first))
}

function pathsOf(named: string): readonly string[] {
  return globSync([named, `src/${named}`], { cwd: ROOT })
}

type Proof = { readonly promise: string; readonly name: string; readonly path: string }

/** The tests whose names end with the promises that they prove. */
function readProofs(): readonly Proof[] {
  return globSync(["src/**/{*.test,contract}.ts", "test/**/*.test.ts"], { cwd: ROOT })
    .sort()
    .flatMap((path) =>
      [...read(path).matchAll(PROOF)].flatMap(([, , name, ids]) =>
        ids!.split(", ").map((promise) => ({ promise, name: name!, path })),
      ),
    )
}

/** A document names a test as its file does, with placeholders and promises. */
function hasTest(path: string, name: string): boolean {
  if (!existsSync(join(ROOT, path))) return false
  const text = read(path)
  return ['"', "'", "`"].some((quote) => text.includes(`${quote}${name}${quote}`))
}

/** `findRunningJob` and `FIND_RUNNING_JOB` are `find running job`. */
function wordsOf(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll("_", " ")
    .toLowerCase()
}
