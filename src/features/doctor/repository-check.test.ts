import { execFileSync } from "node:child_process"
import { chmodSync, mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../test/support/repo.ts"
import type { Home } from "../../api/client/home.ts"
import type { Config } from "../../config/config.ts"
import { checkRepositories } from "./repository-check.ts"

const configOf = (repo: TestRepo, worktreeDir = ".worktrees") =>
  ({
    repos: [{ name: "repo", path: repo.path, clone: undefined }],
    agents: [{ workspace: { worktreeDir } }],
  }) as unknown as Config

test("doctor names a folder for worktrees that others may write, before any work [43.41]", async () => {
  using repo = new TestRepo()
  const shared = join(repo.folder, "shared")
  mkdirSync(shared)
  chmodSync(shared, 0o777)
  const check = async (folder: string) =>
    (await checkRepositories({ home: repo.path } as Home, configOf(repo, folder), process.env))[1]
  const text = expect.stringContaining("all users can write")
  const hint = expect.stringContaining(`chmod go-w ${shared}`)
  for (const folder of [shared, join(shared, "later")])
    expect(await check(folder)).toMatchObject({ name: "worktrees", state: "failed", text, hint })
  expect(await check(".worktrees")).toBeUndefined()
})

test("doctor names a `core.bare` that hides a checkout from git [5.6]", async () => {
  using repo = new TestRepo()
  const config = configOf(repo)
  const check = async () =>
    (await checkRepositories({ home: repo.path } as Home, config, process.env))[0]
  repo.git("config", "core.bare", "true")
  const cure = `git config --file ${join(repo.path, ".git/config")} --unset-all core.bare`
  const text = expect.stringContaining("core.bare")
  expect(await check()).toMatchObject({ state: "failed", text, hint: `Remove it: \`${cure}\`.` })

  const remains = join(repo.path, "README.md")
  rmSync(remains)
  expect(await check(), "without files it is bare").toMatchObject({ state: "ok" })
  repo.write({ "README.md": "" })
  execFileSync("sh", ["-c", cure])
  expect(await check()).toMatchObject({ state: "ok" })
})
