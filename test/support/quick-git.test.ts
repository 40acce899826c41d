import { expect, test } from "vitest"
import { quickGit } from "./quick-git.ts"
import { TestRepo } from "./repo.ts"

test("output, arguments and environment arrive byte for byte", () => {
  using repo = new TestRepo()
  const at = { cwd: repo.path, env: { ...repo.env, WORD: "it's\n$HOME \\n" } }
  const script = 'alias.say=!printf "%s|%s|\\377\\n\\n" "$WORD" "$1" #'
  const said = quickGit(["-c", script, "say", "a 'b'\n\"$c\" `d` \\"], at)
  expect(said.toString("latin1")).toBe("it's\n$HOME \\n|a 'b'\n\"$c\" `d` \\|\xff\n\n")
})

test("more output than a pipe holds arrives whole", () => {
  using repo = new TestRepo()
  const text = "a line\n".repeat(100_000)
  repo.write({ long: text })
  const oid = repo.git("hash-object", "-w", "long")
  expect(quickGit(["cat-file", "blob", oid], { cwd: repo.path, env: repo.env })).toEqual(
    Buffer.from(text),
  )
})

test("a failure says what git said, and the next command runs", () => {
  using repo = new TestRepo()
  const failed = { status: 128, stdout: "no\n", stderr: expect.stringContaining("'no'") }
  expect(() => repo.git("rev-parse", "no")).toThrow(expect.objectContaining(failed))
  expect(() => repo.git("rev-parse", "no")).toThrow(/^Command failed: git rev-parse no\n.*'no'/)
  expect(() => repo.gitIn(`${repo.folder}/none`, "status")).toThrow(/none/)
  expect(repo.git("log", "--format=%s")).toBe("commit")
})
