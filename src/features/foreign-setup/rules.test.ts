import { expect, test } from "vitest"
import { SETUP_FILES } from "./rules.ts"

const [CURSOR, CODEX, WORKFLOW] = SETUP_FILES.map(({ path }) => path)
const read = (path: string | undefined, text: string) =>
  SETUP_FILES.find((one) => one.path === path)!.read(text)

const ROOT = '"$COPPICE_REPO_ROOT"'
const cursor = (...lines: string[]) =>
  ["set -e", `export ROOT_WORKTREE_PATH=${ROOT}`, ...lines].join("\n")
const codex = (script: string) =>
  `export CODEX_SOURCE_TREE_PATH=${ROOT}\nexport CODEX_WORKTREE_PATH="$PWD"\n${script}`

test.each<[string, string | undefined, string, string]>([
  [
    "commands for Unix before those for all",
    CURSOR,
    '{"setup-worktree": ["a"], "setup-worktree-unix": ["npm ci", "cp $ROOT_WORKTREE_PATH/.env ."]}',
    cursor("npm ci", "cp $ROOT_WORKTREE_PATH/.env ."),
  ],
  [
    "a script below .cursor",
    CURSOR,
    '{"setup-worktree": "set up.sh"}',
    cursor(
      "if [ -x './.cursor/set up.sh' ]; then './.cursor/set up.sh'; else sh './.cursor/set up.sh'; fi",
    ),
  ],
  [
    "a literal script",
    CODEX,
    "version = 1\n[setup]\nscript = '''\nset -e\nnpm ci\n'''\n[cleanup]\nscript = 'x'\n",
    codex("set -e\nnpm ci"),
  ],
  ["a script with escapes", CODEX, '[setup] # x\nscript = "a \\"b\\"\\nc"', codex('a "b"\nc')],
  ["a long script", CODEX, '[setup]\nscript = """\na "b"\nc\n"""', codex('a "b"\nc')],
  [
    "a hook, without its clone",
    WORKFLOW,
    "---\nhooks:\n  after_create: |\n    git clone --depth 1 https://example.com/x .\n    mise trust\n    npm ci\n---\nPrompt\n",
    "mise trust\nnpm ci",
  ],
])("%s is the set-up of %s", (_, path, text, command) => {
  expect(read(path, text)).toEqual({ kind: "found", command })
})

test.each<[string | undefined, string]>([
  [CURSOR, "{}"],
  [CURSOR, '{"setup-worktree": []}'],
  [CURSOR, '{"setup-worktree-windows": ["x"]}'],
  [CODEX, "version = 1"],
  [CODEX, "[setup]\n[cleanup]\nscript = 'x'"],
  [CODEX, "[setup]\nscript = ''"],
  [WORKFLOW, "# How we work\n"],
  [WORKFLOW, "---\ntitle: [not yaml\n---\n"],
  [WORKFLOW, "---\nhooks: { after_create: 'git clone x .' }\n---\n"],
])("%s names no set-up in %j", (path, text) => {
  expect(read(path, text)).toEqual({ kind: "none" })
})

test.each<[string | undefined, string, RegExp]>([
  [CURSOR, "{", /is not JSON/],
  [CURSOR, "[]", /holds no JSON object/],
  [CURSOR, '{"setup-worktree": [1]}', /neither a list of commands nor a path/],
  [CODEX, "[setup]\nscript = 1", /without a readable `script`/],
  [CODEX, '[setup]\nscript = "\\q"', /without a readable `script`/],
  [WORKFLOW, "---\nhooks: { after_create: [\n---\n", /is not YAML at its head/],
  [WORKFLOW, "---\nhooks: { after_create: [x] }\n---\n", /is not a string/],
])("%s is broken with %j", (path, text, fault) => {
  expect(read(path, text)).toEqual({ kind: "broken", fault: expect.stringMatching(fault) })
})

test("many empty lines take no time of a daemon", () => {
  const lines = "\n".repeat(1_000_000)
  expect(read(CODEX, lines)).toEqual({ kind: "none" })
  expect(read(CODEX, `[setup]#${lines}[x]`)).toEqual({ kind: "none" })
})
