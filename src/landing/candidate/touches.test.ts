import { chmodSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../test/support/repo.ts"
import { gitPath } from "../../git/path.ts"
import { readSettings } from "../../git/repository/settings.ts"
import { listBothSubjects, tellSubjects } from "./both-subjects.ts"
import { replay } from "./replay.ts"

const text = (word: string) => `1\n2\n${word}\n4\n5\n`

function commit(repo: TestRepo, message: string): void {
  repo.git("add", "--all")
  repo.git("commit", "--quiet", "--allow-empty-message", "--cleanup=verbatim", "--message", message)
}

/** Of both sides, from `start`: what git says of the files that conflict, and what is told beside the merge. */
async function tellTwice(repo: TestRepo, start: string) {
  const [base, head, onto] = [repo.tip(start), repo.tip("feat"), repo.tip("main")]
  const settings = readSettings(repo.path)
  let cleans = 0
  const ends = { base, mergeBases: [base], head, onto, ontoTree: repo.tip("main^{tree}") }
  const rest = { settings, nowMs: 0, title: "", onClean: () => void cleans++ }
  const replayed = await replay(repo.path, { ...ends, ...rest })
  if (replayed.kind !== "conflict") return { kind: replayed.kind, cleans }
  const touches = await replayed.touches
  const { paths } = replayed
  const told = touches && tellSubjects(touches, { paths })
  const asked = await listBothSubjects(repo.path, { ...ends, target: onto, paths })
  return { kind: replayed.kind, cleans, paths, told, asked }
}

test("what both sides did to the files in conflict is told as git tells it, without one", async () => {
  using repo = new TestRepo()
  repo.write({ "d/f": text("b"), "d/g": text("b"), top: text("b"), other: "b\n" })
  commit(repo, "base")
  const start = repo.tip("HEAD")
  repo.git("checkout", "--quiet", "-b", "feat")
  repo.write({ "d/f": text("y"), "d/g": text("y") })
  commit(repo, "\n \n two lines \t\nare one\r\n\nbody\n")
  repo.write({ other: "y\n", "d/g": text("b").replace("1", "one") })
  commit(repo, "elsewhere")
  repo.write({ top: text("y") })
  commit(repo, "")
  repo.git("checkout", "--quiet", "main")
  repo.write({ "d/f": text("t"), top: text("t") })
  commit(repo, "\xfcml\xe4ut\u00a0")
  chmodSync(join(repo.path, "d/f"), 0o755)
  commit(repo, "a mode")
  repo.write({ new: "t\n" })
  commit(repo, "nothing of it")
  repo.git("rm", "--quiet", "-r", "d")
  repo.write({ d: "a file\n" })
  commit(repo, "gone")
  repo.git("rm", "--quiet", "d")
  repo.write({ "d/f": text("t"), "d/g": `${text("b")}6\n` })
  commit(repo, "back")

  const { paths, told, asked, cleans } = await tellTwice(repo, start)
  expect(paths).toEqual(["d/f", "top"].map(gitPath))
  expect(told).toEqual(asked)
  const subjects = (lines: readonly string[] = []) => lines.map((line) => line.slice(13))
  expect(subjects(told?.ours)).toEqual(["", " two lines are one"])
  expect(subjects(told?.theirs)).toEqual(["back", "gone", "a mode", "\xfcml\xe4ut\u00a0"])
  expect(cleans).toBe(0)
})

test("git is asked where a commit is written in another encoding; what is clean says so at once", async () => {
  using repo = new TestRepo()
  repo.commit({ f: text("b"), g: text("b") }, "base")
  const start = repo.tip("HEAD")
  repo.git("checkout", "--quiet", "-b", "feat")
  repo.commit({ f: text("y") }, "yours")
  repo.git("checkout", "--quiet", "main")
  repo.commit({ f: `${text("b")}6\n` }, "theirs")
  expect(await tellTwice(repo, start)).toEqual({ kind: "replayed", cleans: 1 })
  repo.write({ f: text("t") })
  repo.git("-c", "i18n.commitEncoding=ISO-8859-1", "commit", "--quiet", "-am", "\xfc")
  const { told, asked } = await tellTwice(repo, start)
  expect(told).toBe(undefined)
  expect(asked?.theirs).toHaveLength(2)
})
