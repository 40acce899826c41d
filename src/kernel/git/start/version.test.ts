import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test, vi } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import { GIT_MIN, isAtLeast } from "../../../base/requirements.ts"
import { findRepository } from "../ask/repository.ts"
import { readGitVersion } from "./version.ts"

test("a git that is too old is refused at the first look at a repository, until it is newer", async () => {
  using repo = new TestRepo()
  const script = "#!/bin/sh\necho git version 2.38.9\n"
  writeFileSync(join(repo.folder, "git"), script, { mode: 0o755 })
  const repository = () => findRepository(repo.path)
  try {
    vi.stubEnv("PATH", repo.folder)
    await expect(repository()).rejects.toMatchObject({
      code: "git.too_old",
      blame: "user",
      message: "git version 2.38.9 is too old.",
      hints: [expect.stringContaining("Install git 2.39 or newer")],
    })
  } finally {
    vi.unstubAllEnvs()
  }
  expect(isAtLeast(await readGitVersion(), GIT_MIN)).toBe(true)
  expect(await repository()).toMatchObject({ root: repo.path })
})
