import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, expect, test, vi } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import { waitFor } from "../../../../test/support/wait-for.ts"
import { git, stdoutText } from "./exec.ts"

afterEach(() => vi.unstubAllEnvs())

test("answers with the exit codes its caller listed, and throws on any other", async () => {
  using repo = new TestRepo()
  const args = ["rev-parse", "--verify", "--quiet", "nowhere"]
  expect((await git(repo.path, args, { answers: [0, 1] })).exitCode).toBe(1)
  await expect(git(repo.path, args)).rejects.toMatchObject({ code: "git.failed", blame: "world" })
})

test("works on the repository of its folder, not on one that the environment names", async () => {
  using repo = new TestRepo()
  using other = new TestRepo({ branch: "other" })
  vi.stubEnv("GIT_DIR", join(other.path, ".git"))
  vi.stubEnv("GIT_INDEX_FILE", join(other.path, "index"))
  vi.stubEnv("GIT_CONFIG_PARAMETERS", "'core.bare'='true'")
  const { stdout } = await git(repo.path, ["symbolic-ref", "--short", "HEAD"])
  expect(stdout).toBe("main\n")
})

test("runs no hook and no file system monitor of the repository", async () => {
  using repo = new TestRepo()
  const ran = join(repo.folder, "ran")
  const program = join(repo.folder, "program")
  writeFileSync(program, `#!/bin/sh\ntouch '${ran}'\n`, { mode: 0o755 })
  for (const hook of ["post-checkout", "reference-transaction", "post-index-change"])
    writeFileSync(join(repo.path, ".git/hooks", hook), `#!/bin/sh\ntouch '${ran}'\n`, {
      mode: 0o755,
    })
  repo.git("config", "core.fsmonitor", program)

  await git(repo.path, ["status"])
  await git(repo.path, ["checkout", "--quiet", "-b", "b"])

  expect(() => rmSync(ran)).toThrow("ENOENT")
})

test("keeps every byte of the output", async () => {
  using repo = new TestRepo()
  repo.git("config", "advice.y", "ü")
  const result = await git(repo.path, ["config", "advice.y"])
  expect(result.stdout).toBe("\xc3\xbc\n")
  expect(stdoutText(result)).toBe("ü\n")
})

test("cuts output where told to, and ends git", async () => {
  using repo = new TestRepo()
  repo.commit({ "long.txt": "x".repeat(3_000_000) })
  const result = await git(repo.path, ["show", "HEAD:long.txt"], { cutAtBytes: 1000 })
  expect(result).toMatchObject({ cut: true, stdout: "x".repeat(1000) })
})

test("ends a git that uses the network when its caller gives up, with the caller's reason", async () => {
  using repo = new TestRepo()
  const stop = new AbortController()
  const wait = ["-c", "alias.wait=!sleep 60", "wait"]
  const network = { timeoutMs: 60_000, signal: stop.signal }
  const waits = git(repo.path, wait, { network })
  stop.abort(new Error("enough"))
  await expect(waits).rejects.toThrow("enough")
})

test("tells a folder that is gone from a git that is missing", async () => {
  using repo = new TestRepo()
  await expect(git(join(repo.path, "gone"), ["status"])).rejects.toMatchObject({
    code: "git.folder_missing",
  })
  vi.stubEnv("PATH", repo.folder)
  await expect(git(repo.path, ["status"])).rejects.toMatchObject({
    code: "git.missing",
    blame: "user",
  })
})

test.runIf(process.platform === "linux")(
  "where it has no room for what it writes, wherever it stands, that may pass",
  async () => {
    using repo = new TestRepo()
    const env = { GIT_DIR: "/proc" } // a file system that never has room
    const failed = git(repo.path, ["rev-parse", "HEAD"], { env })
    await expect(failed).rejects.toMatchObject({ code: "git.failed", transient: true })
  },
)

test("git does not outlive a caller that could not note its process id", async () => {
  using repo = new TestRepo()
  let pid = 0
  const waits = git(repo.path, ["-c", "alias.wait=!sleep 60", "wait"], {
    cutAtBytes: 1000, // a worker cannot cut output, so git is our own child, with a group of its own
    onPid: (own) => {
      pid = own
      throw new Error("disk full")
    },
  })
  await expect(waits).rejects.toThrow("disk full")
  const hasEnded = () => {
    try {
      return !process.kill(-pid, 0)
    } catch {
      return true
    }
  }
  await waitFor("the last of its group to be gone", hasEnded)
})
