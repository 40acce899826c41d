/** Work without an agent, and undo, on targets that ask for signatures, hooks or a remote. */
import { execFileSync } from "node:child_process"
import { chmodSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { Fleet, type FleetConfig } from "../support/fleet.ts"

const WHO = "Pat <pat@example.org>"

/** The person has an identity and a key. */
function signing(config: FleetConfig): Fleet {
  const fleet = new Fleet(config)
  const key = join(fleet.home.path, "id_ed25519")
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key])
  const settings = { "user.name": "Pat", "user.email": "pat@example.org", "gpg.format": "ssh" }
  for (const [name, value] of Object.entries({ ...settings, "user.signingKey": key }))
    fleet.userConfig(name, value)
  return fleet
}

const signedBy = (fleet: Fleet, commit: string) =>
  fleet.repo.git("cat-file", "commit", commit).includes("BEGIN SSH SIGNATURE") &&
  fleet.repo.git("log", "-1", "--format=%cn <%ce>", commit)

test("a branch without a task, and an undo, land signed and signed off where agents' work does [46.4]", async () => {
  await using fleet = signing({
    repo: { gate: false },
    sh: { landing: { sign: true, signoff: true } },
  })
  const worktree = fleet.repo.worktree("feat")
  fleet.repo.commit({ "a.txt": "a" }, "My words", worktree)
  expect(await fleet.coppice("land", "feat")).toMatchObject({ code: 0 })
  expect(fleet.log()[0]).toBe("My words")
  expect(signedBy(fleet, "main")).toBe(WHO)
  expect(fleet.repo.git("log", "-1", "--format=%B", "main")).toContain(`Signed-off-by: ${WHO}`)
  expect(await fleet.coppice("undo", "1", "--yes")).toMatchObject({ code: 0 })
  expect(fleet.repo.git("ls-tree", "--name-only", "main")).not.toContain("a.txt")
  expect(signedBy(fleet, "main")).toBe(WHO)
})

test("work without an agent passes the git hooks of the gate [24.2]", async () => {
  await using fleet = new Fleet({
    repo: { gate: false },
    sh: { landing: { hooks: ["pre-commit"] } },
  })
  const hook = join(fleet.repo.path, ".git/hooks/pre-commit")
  const worktree = fleet.repo.worktree("feat")
  fleet.repo.commit({ "a.txt": "TODO" }, "My words", worktree)
  writeFileSync(hook, "#!/bin/sh\n! git diff --cached | grep TODO\n")
  chmodSync(hook, 0o755)
  expect(await fleet.coppice("trust", "--yes")).toMatchObject({ code: 0 })
  expect((await fleet.coppice("land", "feat")).code).not.toBe(0)
  expect(fleet.log()[0]).not.toBe("My words")
})

test("an undo with `push_target` moves the remote and the target here [44.1, 22.1]", async () => {
  await using fleet = new Fleet()
  const remote = join(fleet.home.path, "remote.git")
  fleet.repo.git("clone", "--bare", "-q", ".", remote)
  fleet.repo.git("remote", "add", "origin", remote)
  fleet.configure({ repo: { gate: false, push_target: true } })
  fleet.repo.git("push", "-q", "origin", "main")
  const id = await fleet.start("echo a > a.txt")
  expect(await fleet.until(id)).toMatchObject({ state: "complete" })
  const there = () => fleet.repo.git("--git-dir", remote, "rev-parse", "main")
  const here = () => fleet.repo.git("rev-parse", "main")
  expect(there()).toBe(here())
  const landed = here()
  expect(await fleet.coppice("undo", id, "--yes")).toMatchObject({ code: 0 })
  expect(here()).not.toBe(landed)
  expect(there()).toBe(here())
  expect(fleet.repo.git("ls-tree", "--name-only", "main")).not.toContain("a.txt")
})
