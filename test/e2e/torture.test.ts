/** `coppice torture`, with dice that are known, which begin with three tasks: a few seconds of it. */
import { existsSync, readdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { expect, test } from "vitest"
import { TortureDocument } from "../../src/core/wire/documents.ts"
import { coppice, ScratchHome } from "../support/home.ts"
import { TestRepo } from "../support/repo.ts"

const SEED = "218"
const SCRATCH = /^coppice-torture-/

test("agents, a user and kills at random: every promise is kept", {
  timeout: 300_000,
}, async () => {
  using repo = new TestRepo()
  await using home = new ScratchHome()
  repo.commit({ "a b.txt": "a\n", "crlf.txt": "x\r\n", "binary.dat": Buffer.from([0, 255, 1]) })
  const before = [repo.git("for-each-ref"), repo.git("status", "--porcelain", "--ignored")]
  const args = ["torture", "--seed", SEED, "--minutes", "0.05", "--json"]
  const env = home.env({ TMPDIR: tmpdir() })
  const outcome = await coppice(repo.path, args, { env, timeoutMs: 280_000 })

  const document = TortureDocument.parse(JSON.parse(outcome.stdout))
  expect(document.violations).toEqual([])
  expect(document).toMatchObject({ seed: Number(SEED), interrupted: false, folder: null })
  expect(document.tasks).toHaveProperty("complete")
  expect(Object.keys(document.checked)).toHaveLength(11)
  expect(outcome.code).toBe(0)
  expect([repo.git("for-each-ref"), repo.git("status", "--porcelain", "--ignored")]).toEqual(before)
  expect(existsSync(`${repo.path}/coppice.yml`)).toBe(false)
})

test("what is no repository is refused, before anything is made", async () => {
  await using home = new ScratchHome()
  const env = home.env({ TMPDIR: home.path })
  const { code, stderr } = await coppice(home.path, ["torture"], { env })
  expect([code, stderr]).toEqual([2, expect.stringMatching(/is in no git repository/)])
  expect(readdirSync(home.path).filter((name) => SCRATCH.test(name))).toEqual([])
})
