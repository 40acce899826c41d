/** Commits that land are signed and signed off with real keys, as the person's own configuration says. */
import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, expect, test, vi } from "vitest"
import { LandingTest, type LandingTestOptions } from "../../../test/support/landing.ts"
import { TestRepo } from "../../../test/support/repo.ts"

const WHO = "Pat <pat@example.org>"
const hasGpg = ["/usr/bin/gpg", "/usr/local/bin/gpg", "/opt/homebrew/bin/gpg"].some(existsSync)

afterEach(() => vi.unstubAllEnvs())

class SignTest implements AsyncDisposable {
  readonly repo = new TestRepo()
  readonly it: LandingTest
  readonly config = join(this.repo.folder, "person.gitconfig")
  readonly key = join(this.repo.folder, "id_ed25519")
  constructor(options: LandingTestOptions = { sign: true, signoff: true }) {
    this.it = new LandingTest(this.repo, options)
    vi.stubEnv("GIT_CONFIG_GLOBAL", this.config)
    vi.stubEnv("SSH_AUTH_SOCK", undefined)
    this.set("user.name", "Pat")
    this.set("user.email", "pat@example.org")
  }
  set(key: string, value: string): void {
    execFileSync("git", ["config", "--file", this.config, key, value])
  }
  makeSshKey(passphrase = ""): void {
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", passphrase, "-f", this.key])
    this.set("gpg.format", "ssh")
    this.set("user.signingKey", this.key)
  }
  submit() {
    this.repo.commit({ "a.txt": "a" }, "A1", this.repo.worktree("feat"))
    return this.it.submit({ branch: "feat" })
  }
  verify(commit = "main"): void {
    const allowed = join(this.repo.folder, "allowed")
    const pub = execFileSync("ssh-keygen", ["-y", "-f", this.key], { encoding: "utf8" })
    writeFileSync(allowed, `pat@example.org ${pub}`)
    this.repo.git("-c", `gpg.ssh.allowedSignersFile=${allowed}`, "verify-commit", commit)
  }
  message(commit = "main"): string {
    return this.repo.git("log", "-1", "--format=%B", commit).trim()
  }
  async [Symbol.asyncDispose](): Promise<void> {
    await this.it[Symbol.asyncDispose]()
    this.repo[Symbol.dispose]()
  }
}

test.each([
  { name: "as it is", moves: false },
  { name: "on a target that has moved", moves: true },
])("work that lands $name is signed and signed off by the person [46.1]", async ({ moves }) => {
  await using world = new SignTest()
  world.makeSshKey()
  const id = world.submit()
  if (moves) world.repo.commit({ "m.txt": "m" }, "M1")
  expect(await world.it.run(id)).toMatchObject({ state: "landed", outcome: "LANDED" })
  world.verify()
  expect(new Set(world.it.purposes)).toEqual(new Set(["sign"]))
  expect(world.message()).toBe(`A1\n\nSigned-off-by: ${WHO}`)
  expect(world.repo.git("log", "-1", "--format=%cn <%ce>", "main")).toBe(WHO)
  expect(world.repo.git("status", "--porcelain")).toBe("")
  world.repo.git("fsck", "--no-dangling")
})

test("the repository's own settings choose neither program, key nor identity [46.2]", async () => {
  await using world = new SignTest()
  world.makeSshKey()
  const ran = join(world.repo.folder, "ran")
  const evil = join(world.repo.folder, "evil")
  writeFileSync(evil, `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o755 })
  const id = world.submit()
  for (const key of ["gpg.program", "gpg.ssh.program", "gpg.ssh.defaultKeyCommand"])
    world.repo.git("config", key, evil)
  world.repo.git("config", "gpg.format", "openpgp")
  world.repo.git("config", "user.signingKey", "AGENT")
  world.repo.git("config", "user.name", "Agent")
  expect(await world.it.run(id)).toMatchObject({ state: "landed" })
  expect(existsSync(ran)).toBe(false)
  for (const key of ["gpg.program", "gpg.ssh.program", "gpg.format"])
    world.repo.git("config", "--unset", key)
  world.verify()
  expect(world.message()).toContain(WHO)
})

test("a new signature of the same commit does not repeat a gate with git hooks [24.2]", async () => {
  const hooks = { "pre-push": "#!/bin/sh\n" }
  const gated = { sign: true, gate: "true", hooks, landingHooks: ["pre-push"] } as const
  await using world = new SignTest(gated)
  const { it, repo } = world
  world.makeSshKey()
  const id = world.submit()
  repo.commit({ "m.txt": "m" }, "M1")
  it.onPoint = (name) => {
    if (name === "publishing: before") repo.write({ "a.txt": "mine" })
  }
  const waiting = await it.run(id)
  expect(waiting.outcome).toBe("DIRTY_MAIN")
  it.onPoint = () => {}
  rmSync(join(repo.path, "a.txt"))
  it.wake(id)
  expect(await it.run(id)).toMatchObject({ state: "landed" })
  expect(it.tip("main")).not.toBe(waiting.repos[0]?.candidate)
  world.verify()
  expect(it.trace(id).filter((type) => type === "gate.hook_ran")).toHaveLength(1)
})

test("a key that needs a passphrase makes the landing wait, and land once it is ready [46.3]", async () => {
  await using world = new SignTest()
  world.makeSshKey("secret")
  const id = world.submit()
  const waiting = await world.it.run(id)
  expect(waiting).toMatchObject({ state: "waiting", outcome: "UNSIGNED", wakeAtMs: null })
  expect(waiting.reason).toContain("passphrase")
  expect(world.it.history()).toEqual(["commit"])
  rmSync(world.key)
  rmSync(`${world.key}.pub`)
  world.makeSshKey()
  world.it.wake(id)
  expect(await world.it.run(id)).toMatchObject({ state: "landed" })
  world.verify()
})

test.each([
  { name: "no key", settings: { "gpg.format": "ssh" }, words: "no user.signingKey" },
  {
    name: "a key that is not there",
    settings: { "gpg.format": "ssh", "user.signingKey": "/nowhere/key" },
    words: "/nowhere/key",
  },
  {
    name: "a program that is not there",
    settings: { "gpg.program": "/nowhere/gpg" },
    words: "/nowhere/gpg",
  },
  { name: "no name", settings: { "user.name": "" }, words: "no user.name" },
])("with $name the landing waits, and says so [46.3]", async ({ settings, words }) => {
  await using world = new SignTest()
  for (const [key, value] of Object.entries(settings)) world.set(key, value)
  const waiting = await world.it.run(world.submit())
  expect(waiting).toMatchObject({ state: "waiting", outcome: "UNSIGNED" })
  expect(waiting.reason).toContain(words)
  expect(world.it.history()).toEqual(["commit"])
})

test("a sign-off needs no key, and stands once, with the other trailers [46.1]", async () => {
  await using world = new SignTest({ signoff: true })
  const id = world.submit()
  const worktree = join(world.repo.folder, "worktrees/feat")
  world.repo.commit({ "b.txt": "b" }, `B1\n\nReviewed-by: Kim\nSigned-off-by: ${WHO}`, worktree)
  world.repo.commit({ "c.txt": "c" }, "C1\n\nReviewed-by: Kim", worktree)
  expect(await world.it.run(id)).toMatchObject({ state: "landed" })
  const signed = `Reviewed-by: Kim\nSigned-off-by: ${WHO}`
  expect(world.message("main")).toBe(`C1\n\n${signed}`)
  expect(world.message("main~1")).toBe(`B1\n\n${signed}`)
  expect(world.repo.git("cat-file", "commit", "main")).not.toContain("gpgsig")
})

test.runIf(hasGpg)("a key of gpg signs [46.1]", async () => {
  await using world = new SignTest({ sign: true })
  const home = mkdtempSync(join(tmpdir(), "gpg-"))
  vi.stubEnv("GNUPGHOME", home)
  const gpg = (...args: string[]) => execFileSync("gpg", ["--batch", ...args], { stdio: "pipe" })
  try {
    gpg("--passphrase", "", "--quick-gen-key", WHO, "ed25519", "sign", "never")
    expect(await world.it.run(world.submit())).toMatchObject({ state: "landed" })
    const env = { ...process.env, GNUPGHOME: home }
    execFileSync("git", ["-C", world.repo.path, "verify-commit", "main"], { env, stdio: "pipe" })
  } finally {
    execFileSync("gpgconf", ["--kill", "all"])
    rmSync(home, { recursive: true, force: true })
  }
})
