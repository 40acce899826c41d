import { execFileSync } from "node:child_process"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../test/support/repo.ts"
import type { Home } from "../../api/client/home.ts"
import type { Config } from "../../config/config.ts"
import { checkRepositories } from "./repository-check.ts"

test("doctor names a `core.bare` that hides a checkout from git [5.6]", async () => {
  using repo = new TestRepo()
  const config = { repos: [{ path: repo.path, clone: undefined }] } as unknown as Config
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
