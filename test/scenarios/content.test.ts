/** The laws hold for all contents of a repository: names, types, encodings. */
import { chmodSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { LINES, lands, line, type Story } from "../support/lawful.ts"

const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, "utf16le")
const bytes = (folder: string, ...name: number[]) =>
  Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name)])

const names: Story = {
  base: { "-dash": "d", ":(top)x": "c", "*": "s", "[a]": "b", "a\nb": LINES, " s ": "s", e: "" },
  agent: (repo, worktree) => {
    const files = { "-dash": "D", ":(top)x": "C", "*": "S", "[a]": "B", "a\nb": line(2, "X") }
    repo.write({ ...files, " s ": "S", "$(x)": "x", "`y`": "y", "'": "q", e2: "" }, worktree)
    writeFileSync(bytes(worktree, 0xff, 0xe9), Buffer.from([0xff, 0x80, 0x0a]))
    repo.commit({}, "A1", worktree)
    writeFileSync(bytes(worktree, 0xfe), "left")
  },
  main: { "a\nb": line(8, "M"), e: "full", "tab\t": "T", 'q"': "Q", "back\\": "B" },
  user: (repo) => repo.write({ "mine\n": "mine", ":!x": "mine", "x.o": "o" }),
}

const types: Story = {
  base: { file: "file", "folder/in": "in", "Name.txt": LINES, moved: LINES, run: LINES, gone: "g" },
  agent: (repo, worktree) => {
    for (const path of ["file", "folder", "Name.txt", "gone"])
      rmSync(join(worktree, path), { recursive: true })
    repo.write({ "file/in": "now a folder", "name.txt": line(2, "X") }, worktree)
    repo.write({ moved: line(2, "X"), run: line(2, "X") }, worktree)
    symlinkSync("f.txt", join(worktree, "folder"))
    chmodSync(join(worktree, "f.txt"), 0o755)
    repo.commit({}, "A1", worktree)
  },
  main: (repo) => {
    chmodSync(join(repo.path, "run"), 0o755)
    repo.commit({ "Name.txt": line(8, "M"), moved: null, "to/here": line(8, "M") }, "M1")
  },
  user: (repo) => repo.write({ "u.txt": "u", "x.o": "o" }),
}

/** The stored content differs from the file on disk. */
const converted: Story = {
  settings: {
    "filter.up.clean": "tr a-z A-Z",
    "filter.up.smudge": "tr A-Z a-z",
    "filter.up.required": "true",
  },
  base: {
    ".gitattributes":
      "*.crlf text eol=crlf\n*.16 working-tree-encoding=UTF-16LE-BOM\n*.id ident\n*.up filter=up\n",
    "a.crlf": LINES,
    "a.16": utf16(LINES),
    "a.id": `$Id$\n${LINES}`,
    "a.up": LINES,
  },
  agent: {
    "a.crlf": line(2, "X").replaceAll("\n", "\r\n"),
    "a.16": utf16(line(2, "X")),
    "a.id": `$Id$\n${line(2, "X")}`,
    "a.up": line(2, "x"),
    "new.up": "new\n",
  },
  main: {
    "a.crlf": line(8, "M"),
    "a.16": utf16(line(8, "M")),
    "a.id": `$Id$\n${line(8, "M")}`,
    "a.up": line(8, "m"),
  },
  user: (repo) => repo.write({ "mine.up": "Mine\n", "mine.crlf": "mine\n" }),
}

/** To git, such a file differs from its commit as soon as its time changes. */
const unsettled: Story = {
  base: (repo) => {
    repo.commit({ "crlf.txt": "a\r\nb\r\n", ".gitignore": "*.o\n", "g.txt": LINES })
    repo.write({ ".gitattributes": "* text=auto\n" })
    repo.git("add", ".gitattributes")
    repo.git("commit", "--quiet", "--message", "M0")
  },
  agent: { "g.txt": line(2, "X") },
  main: { "g.txt": line(8, "M") },
}

const staged: Story = {
  agent: (repo, worktree) => {
    repo.write({ "intended.txt": "i", "n.txt": "n" }, worktree)
    repo.gitIn(worktree, "add", "--intent-to-add", "intended.txt")
  },
  main: { "m.txt": "m" },
}

test.each(Object.entries({ names, types, converted, unsettled, staged }))(
  "%s",
  async (_, story) => {
    await lands(story)
  },
)

test("a branch that removes every file lands as an empty tree", async () => {
  const agent = { "f.txt": null, "README.md": null, ".gitignore": null }
  await lands({ agent, user: (repo) => repo.write({ "u.txt": "u" }) }, (it) => {
    expect(it.files()).toEqual({})
  })
})
