import { appendFileSync } from "node:fs"
import { expect, test } from "vitest"
import { TestRepo } from "../../../test/support/repo.ts"
import { readGitPrograms } from "./git-config.ts"

const { env } = process

test.each([
  "filter.a.clean",
  "filter.a.smudge",
  "filter.a.process",
  "merge.a.driver",
  "diff.a.command",
  "diff.a.textconv",
  "diff.external",
  "core.sshcommand",
  "core.gitproxy",
  "core.editor",
  "core.pager",
  "core.askpass",
  "core.alternaterefscommand",
  "sequence.editor",
  "interactive.difffilter",
  "gpg.program",
  "gpg.ssh.program",
  "gpg.ssh.defaultkeycommand",
  "trailer.a.command",
  "trailer.a.cmd",
  "remote.origin.uploadpack",
  "remote.origin.receivepack",
  "credential.helper",
  "credential.https://x.example.helper",
  "lfs.extension.a.clean",
  "http.proxy",
  "lfs.next",
  "annex.youtube-dl-command",
  "remote.origin.annex-rsync-transport",
])("%s of the repository needs the approval of a person", async (key) => {
  using repo = new TestRepo()
  expect(await readGitPrograms(repo.path, env)).toMatchObject({ programs: [] })
  repo.git("config", key, "x y")
  expect(await readGitPrograms(repo.path, env)).toMatchObject({
    gitDir: `${repo.path}/.git`,
    programs: [{ scope: "local", key, value: "x y" }],
  })
})

test("a value that is no UTF-8 is found byte for byte [32.11]", async () => {
  using repo = new TestRepo()
  const file = `${repo.path}/.git/config`
  appendFileSync(file, Buffer.from('[filter "a"]\nclean = x\xff\xc3\xa9\n', "latin1"))
  const found = await readGitPrograms(repo.path, env)
  expect(found?.programs).toMatchObject([{ value: "x\xff\xc3\xa9" }])
})

test("programs of an included file and of the main worktree's own configuration are found too", async () => {
  using repo = new TestRepo()
  repo.git("config", "--file", `${repo.folder}/included`, "core.sshCommand", "x")
  repo.git("config", "include.path", `${repo.folder}/included`)
  repo.git("config", "extensions.worktreeConfig", "true")
  repo.git("config", "--worktree", "filter.a.clean", "y")
  const found = await readGitPrograms(repo.path, env)
  expect(found?.programs).toEqual([
    { scope: "local", key: "core.sshcommand", value: "x" },
    { scope: "worktree", key: "filter.a.clean", value: "y" },
  ])
})

test("the user's own programs are not the repository's", async () => {
  using repo = new TestRepo()
  repo.userConfig("filter.lfs.clean", "git-lfs clean")
  repo.git("config", "merge.a.name", "says nothing of a program")
  const { GIT_CONFIG_GLOBAL } = process.env
  const found = await readGitPrograms(repo.path, { ...env, GIT_CONFIG_GLOBAL })
  expect(found?.programs).toEqual([])
})
