import { execFileSync } from "node:child_process"
import { chmodSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import type { TaskId } from "../../../base/ids.ts"
import { rescueWorktree } from "./rescue.ts"

const owner = { home: "one", task: 7 as TaskId }
const utf16 = (text: string) => Buffer.concat([Buffer.of(0xff, 0xfe), Buffer.from(text, "utf16le")])

/** By path: what stands there, and the rule by which git would store something else. */
const FILES: Readonly<Record<string, readonly [string, Buffer]>> = {
  "auto.txt": ["text=auto", Buffer.from("a\r\nb\nc\r\n")],
  "crlf.txt": ["text eol=crlf", Buffer.from("lone\nboth\r\n")],
  "lf.txt": ["text eol=lf", Buffer.from("one\r\ntwo\r\n")],
  "id.txt": ["ident", Buffer.from("$Id: a text of the user $\n")],
  "wide.txt": ["working-tree-encoding=UTF-16LE-BOM", utf16("weit\n")],
  "broken.txt": ["working-tree-encoding=UTF-16LE-BOM", Buffer.from("no UTF-16 at all\n")],
  "upper.txt": ["filter=upper", Buffer.from("lower case\n")],
  "fails.txt": ["filter=fails", Buffer.from("kept all the same\n")],
  'a "quoted"\nname': ["text=auto", Buffer.from("x\r\n")],
  "plain.bin": ["-text", Buffer.from([0, 13, 10, 255])],
}

test.each(["new", "edited"])(
  "a rescue holds the very bytes of %s files, whatever rules git has [4.7]",
  async (kind) => {
    using repo = new TestRepo()
    const rules = Object.entries(FILES).map(
      ([path, [rule]]) => `${path.replace(/["\n ]/g, "?")} ${rule}`,
    )
    if (kind === "edited")
      repo.commit(Object.fromEntries(Object.keys(FILES).map((path) => [path, "before\n"])))
    repo.write({ ".gitattributes": `${rules.join("\n")}\n` })
    repo.git("add", ".gitattributes") // the others would be checked against it
    repo.git("commit", "--quiet", "--message", "rules")
    const worktree = repo.worktree("feat")
    for (const [key, value] of [
      ["core.autocrlf", "true"],
      ["filter.upper.clean", "tr a-z A-Z"],
      ["filter.fails.clean", "false"],
      ["filter.fails.required", "true"],
    ] as const)
      repo.git("config", key, value)
    for (const [path, [, bytes]] of Object.entries(FILES))
      writeFileSync(join(worktree, path), bytes)
    chmodSync(join(worktree, "plain.bin"), 0o755)
    symlinkSync("nowhere\r", join(worktree, "link"))

    const safeCommits = [repo.tip("main")]
    const rescue = await rescueWorktree(worktree, {
      owner,
      safeCommits,
      placed: [],
      reason: "a test",
    })
    const ref = rescue?.ref ?? ""
    for (const [path, [rule, bytes]] of Object.entries(FILES)) {
      const args = ["cat-file", "blob", `${ref}:${path}`]
      const stored = execFileSync("git", args, { cwd: repo.path, env: repo.env })
      expect(stored, `${path}: ${rule}`).toEqual(bytes)
    }
    expect(repo.git("cat-file", "blob", `${ref}:link`)).toBe("nowhere\r".trim())
    expect(repo.git("ls-tree", ref, "plain.bin", "link")).toMatch(
      /^120000 .*link\n100755 .*plain\.bin$/,
    )
    const again = await rescueWorktree(worktree, {
      owner,
      safeCommits,
      placed: [],
      reason: "a test",
    })
    expect(again?.ref).toBe(ref)
  },
)
