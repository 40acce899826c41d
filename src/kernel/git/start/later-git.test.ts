import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, expect, test, vi } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import { readGitPrograms } from "../../../features/trust/git-config.ts"
import { git } from "./exec.ts"

afterEach(() => vi.unstubAllEnvs())

test("a section that a later git has is no tool's: its keys wait for a person [14.11]", async () => {
  using repo = new TestRepo()
  repo.git("config", "next.a.command", "evil")
  repo.git("config", "jira.url", "x")
  const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim()
  const script = `#!/bin/sh
test "$1" = help && printf 'core\\nNext\\n' || exec ${real} "$@"\n`
  writeFileSync(join(repo.folder, "git"), script, { mode: 0o755 })
  vi.stubEnv("PATH", `${repo.folder}:${process.env["PATH"]}`)
  const code = "git.setting_unapproved"
  const refused = expect.objectContaining({ code, message: expect.stringContaining("next.a") })
  await expect(git(repo.path, ["status"])).rejects.toEqual(refused)
  const programs = [{ key: "next.a.command", value: "evil", scope: "local" }]
  expect(await readGitPrograms(repo.path, process.env)).toMatchObject({ programs })
})
