import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import { cloneRepository, withoutPasswords } from "./clone.ts"

const whole = { branch: undefined, depth: undefined, network: { timeoutMs: 60_000 } }

test("a depth holds, of a path as of a URL, and the branch that was asked for is checked out", async () => {
  using repo = new TestRepo()
  repo.commit({ a: "a" })
  repo.git("branch", "dev")
  const path = join(repo.folder, "copy")
  const options = { ...whole, url: repo.path, path, branch: "dev", depth: 1 }
  expect(await cloneRepository(repo.folder, options)).toEqual({ kind: "cloned" })
  expect(repo.gitIn(path, "rev-list", "--count", "HEAD")).toBe("1")
  expect(repo.gitIn(path, "branch", "--show-current")).toBe("dev")
})

test("a URL that would run a program is not followed", async () => {
  using repo = new TestRepo()
  const path = join(repo.folder, "copy")
  const url = `ext::sh -c touch% ${join(repo.folder, "ran")}`
  const cloned = await cloneRepository(repo.folder, { ...whole, url, path })
  expect(cloned).toMatchObject({ kind: "failed", message: expect.stringContaining("not allowed") })
})

test.each([
  [
    "unable to access 'https://me:s3cret@h.test/r?t=s3cret/': no",
    "https://me:s3cret@h.test/r?t=s3cret",
  ],
  ["could not read Password for 'https://s3cret@h.test': no", "https://s3cret@h.test/r"],
  ["redirected to https://other:s3cret@h.test/x", "ssh://s3cret@h.test/r"],
])("passwords are taken out of: %s", (said, url) => {
  expect(withoutPasswords(said, url)).not.toContain("s3cret")
  expect(withoutPasswords(said, url)).toContain("h.test")
})
