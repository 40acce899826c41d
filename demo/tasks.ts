/**
 * The four tasks of the demo, and what the scripted model does about each.
 *
 * `separator` and `accents` change the same lines of src/slug.js, so the second one to land has a
 * conflict that no machine can resolve. The other two change other files.
 */
import { bash, type Reply, type ToolCall } from "../test/support/messages-api-reply.ts"

/** One answer of the model, given the root of the worktree that its agent works in. */
type Step = (root: string) => Reply

export type DemoTask = {
  readonly prompt: string
  /** The replies of the model, in order, until it stops for the first time. */
  readonly work: readonly Step[]
  /** The model's replies when the work comes back. */
  readonly resolve: readonly Step[]
  /** A file of main and a text in it that are there once the task has landed, and not before. */
  readonly proof: { readonly path: string; readonly text: string }
}

const SLUG_TEST = `test("words are joined by hyphens", () => {
  assert.equal(slug("Hello, World!"), "hello-world")
})
`
const SEPARATOR_TEST = `
test("words are joined by another separator", () => {
  assert.equal(slug("Hello, World!", "_"), "hello_world")
})
`
const ACCENTS_TEST = `
test("a letter loses its accent and stays", () => {
  assert.equal(slug("Crème Brûlée"), "creme-brulee")
})
`
const FOLDED_ACCENTS = `  const letters = title.normalize("NFKD").replace(/\\p{Mark}/gu, "")
  const words = letters.toLowerCase()`

const RESOLVED_SLUG = `/** Turns a title into a part of a URL: \`Hello, World!\` becomes \`hello-world\`. */
export function slug(title, separator = "-") {
${FOLDED_ACCENTS}.split(/[^a-z0-9]+/)
  return words.filter((word) => word !== "").join(separator)
}
`
const RESOLVED_TEST = `import assert from "node:assert/strict"
import { test } from "node:test"
import { slug } from "../src/slug.js"

${SLUG_TEST}${ACCENTS_TEST}${SEPARATOR_TEST}`

const WORDS_TEST = `  assert.equal(countWords("one two three"), 3)
})
`
const SPACES_TEST = `
test("white space is no word, however much there is", () => {
  assert.equal(countWords(" one  two\\nthree "), 3)
  assert.equal(countWords(""), 0)
})
`
const TRUNCATE = `/** The text in at most \`length\` characters: the last one is … where something is missing. */
export function truncate(text, length) {
  return text.length <= length ? text : \`\${text.slice(0, length - 1)}…\`
}
`
const TRUNCATE_TEST = `import assert from "node:assert/strict"
import { test } from "node:test"
import { truncate } from "../src/truncate.js"

test("a text that fits stays as it is", () => {
  assert.equal(truncate("coppice", 7), "coppice")
})

test("a text that is cut says so", () => {
  assert.equal(truncate("coppice", 5), "copp…")
})
`

export const DEMO_TASKS = {
  separator: {
    prompt: "Let slug() take a separator",
    work: [
      look("I read the function and its test first.", "src/slug.js", "test/slug.test.js"),
      (root) => ({
        tools: [
          edit(root, "src/slug.js", "slug(title)", 'slug(title, separator = "-")'),
          edit(root, "src/slug.js", 'join("-")', "join(separator)"),
          edit(root, "test/slug.test.js", SLUG_TEST, SLUG_TEST + SEPARATOR_TEST),
        ],
      }),
      run("npm test"),
      run('git add --all && git commit --quiet -m "slug: take the separator as an argument"'),
      say("slug() takes a separator now; a hyphen is the default."),
    ],
    resolve: [
      run("git rebase main", "Both of us changed slug(). I rebase and keep both changes."),
      look("Accents came from main, the separator from here.", "src/slug.js", "test/slug.test.js"),
      (root) => ({
        tools: [
          write(root, "src/slug.js", RESOLVED_SLUG),
          write(root, "test/slug.test.js", RESOLVED_TEST),
        ],
      }),
      run("npm test && git add --all && GIT_EDITOR=true git rebase --continue"),
      say("Resolved: slug() drops accents and takes a separator; the tests of both pass."),
    ],
    proof: { path: "src/slug.js", text: "separator" },
  },

  accents: {
    prompt: "Let slug() keep letters with accents",
    work: [
      look("I read the function and its test first.", "src/slug.js", "test/slug.test.js"),
      (root) => ({
        tools: [
          edit(root, "src/slug.js", "  const words = title.toLowerCase()", FOLDED_ACCENTS),
          edit(root, "test/slug.test.js", SLUG_TEST, SLUG_TEST + ACCENTS_TEST),
        ],
      }),
      run("npm test"),
      say("slug() keeps the letter under an accent. I leave the commit to Coppice."),
    ],
    resolve: [],
    proof: { path: "src/slug.js", text: "NFKD" },
  },

  words: {
    prompt: "Fix the word count",
    work: [
      look("Two spaces in a row may be the trouble.", "src/words.js", "test/words.test.js"),
      (root) => ({
        tools: [
          edit(root, "src/words.js", 'split(" ")', "split(/\\s+/).filter(Boolean)"),
          edit(root, "test/words.test.js", WORDS_TEST, WORDS_TEST + SPACES_TEST),
        ],
      }),
      run("npm test"),
      say("They counted as a word. They do not any more, and a test says so."),
    ],
    resolve: [],
    proof: { path: "src/words.js", text: "filter(Boolean)" },
  },

  truncate: {
    prompt: "Add truncate(text, length)",
    work: [
      (root) => ({
        text: "A new function in a file of its own, with a test.",
        tools: [
          write(root, "src/truncate.js", TRUNCATE),
          write(root, "test/truncate.test.js", TRUNCATE_TEST),
        ],
      }),
      run("npm test"),
      run('git add --all && git commit --quiet -m "truncate: cut a text to a length"'),
      say("truncate() is there, with a test for a text that fits and one that does not."),
    ],
    resolve: [],
    proof: { path: "src/truncate.js", text: "truncate" },
  },
} as const satisfies Record<string, DemoTask>

export type DemoTaskName = keyof typeof DEMO_TASKS

function say(text: string): Step {
  return () => ({ text })
}

function look(text: string, ...paths: string[]): Step {
  return (root) => ({ text, tools: paths.map((path) => tool("Read", root, path)) })
}

function run(command: string, text?: string): Step {
  return () => ({ ...(text !== undefined && { text }), tools: [bash(command)] })
}

function edit(root: string, path: string, from: string, to: string): ToolCall {
  return tool("Edit", root, path, { old_string: from, new_string: to })
}

function write(root: string, path: string, content: string): ToolCall {
  return tool("Write", root, path, { content })
}

function tool(name: string, root: string, path: string, input: object = {}): ToolCall {
  return { name, input: { file_path: `${root}/${path}`, ...input } }
}
