import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import { listConfig } from "../ask/config.ts"
import { listRefs } from "../ask/list-refs.ts"
import { originHead, readTracking, trackingKeys, upstreamOf } from "../ask/remote.ts"
import { fetchRemote } from "./fetch.ts"

const options = { timeoutMs: 30_000 }

test("knows remotes, their default branch and what a branch tracks", async () => {
  using repo = new TestRepo()
  const read = async (branch = "main") => {
    const config = await listConfig(repo.path, `^(${trackingKeys(branch)})$`)
    return await readTracking(repo.path, branch, config)
  }
  expect(await read()).toEqual({ remotes: [], upstream: undefined })
  expect(await originHead(repo.path)).toBeUndefined()
  repo.addOrigin()
  repo.git("branch", "--quiet", "--set-upstream-to=origin/main")
  const upstream = "refs/remotes/origin/main"
  expect(await read()).toEqual({ remotes: ["origin"], upstream })
  repo.git("remote", "add", "a.b", "nowhere")
  expect(await read()).toEqual({ remotes: ["origin", "a.b"], upstream })
  expect(await read("mai.*")).toMatchObject({ upstream: undefined })
  expect(await originHead(repo.path)).toBe("refs/remotes/origin/main")
  expect(await upstreamOf(repo.path, "main")).toBe("refs/remotes/origin/main")
  expect(await upstreamOf(repo.path, "none")).toBeUndefined()
})

test("fetches the remote's branches", async () => {
  using repo = new TestRepo()
  const origin = repo.addOrigin()
  const tip = repo.commit({ a: "a" })
  repo.gitIn(origin, "fetch", "--quiet", repo.path, "main:new/branch")
  expect(await fetchRemote(repo.path, "origin", options)).toEqual({ kind: "fetched" })
  expect(await listRefs(repo.path, "refs/remotes/origin/new/")).toEqual([
    { ref: "refs/remotes/origin/new/branch", oid: tip },
  ])
})

test("leaves our branches alone, although the settings would have a mirror's overwritten", async () => {
  using repo = new TestRepo()
  const mirror = repo.clone("mirror.git", "--mirror")
  const ours = repo.gitIn(mirror, "rev-parse", "main")
  const theirs = repo.commit({ a: "a" })
  expect(await fetchRemote(mirror, "origin", options)).toEqual({ kind: "fetched" })
  expect(await listRefs(mirror, "refs/")).toEqual([
    { ref: "refs/heads/main", oid: ours },
    { ref: "refs/remotes/origin/main", oid: theirs },
  ])
})

test("says that a remote cannot be reached, or not in time", async () => {
  using repo = new TestRepo()
  repo.git("remote", "add", "gone", join(repo.folder, "gone.git"))
  expect(await fetchRemote(repo.path, "gone", options)).toMatchObject({ kind: "failed" })
  repo.git("remote", "add", "slow", repo.path)
  repo.userConfig("remote.slow.uploadpack", "sleep 60; git-upload-pack")
  expect(await fetchRemote(repo.path, "slow", { timeoutMs: 300 })).toEqual({ kind: "timed_out" })
  const signal = AbortSignal.abort(new Error("enough"))
  const abandoned = fetchRemote(repo.path, "slow", { ...options, signal })
  await expect(abandoned).rejects.toThrow("enough")
})

test("reads settings, those with line ends and without a value too", async () => {
  using repo = new TestRepo()
  repo.git("config", "tig.A.b", "two\nlines")
  repo.git("config", "--add", "tig.A.b", "last")
  expect(await listConfig(repo.path, "^tig\\.")).toEqual([
    { key: "tig.A.b", value: "two\nlines" },
    { key: "tig.A.b", value: "last" },
  ])
})
