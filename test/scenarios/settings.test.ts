/** How a repository may be set up and kept: settings, indexes, stores. The laws hold for all. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, test } from "vitest"
import { isAtLeast } from "../../src/base/requirements.ts"
import { readGitVersion } from "../../src/kernel/git/start/version.ts"
import { LINES, lands, line, type Story } from "../support/lawful.ts"
import type { TestRepo } from "../support/repo.ts"

/** Both sides change one file, so that contents are merged. */
const STORY: Story = {
  base: { "g.txt": LINES, "d/x": "x\n", "e/y": "y\n" },
  agent: { "g.txt": line(2, "X"), "e/n": "n" },
  main: { "g.txt": line(8, "M"), "m.txt": "m" },
}

const KNOWS_TABLES = isAtLeast(await readGitVersion(), { major: 2, minor: 46 })

describe("settings that change git's output, questions or defaults", () => {
  const settings: Record<string, Record<string, string>> = {
    core: {
      safecrlf: "warn",
      precomposeUnicode: "true",
      protectNTFS: "true",
      abbrev: "4",
      logAllRefUpdates: "false",
      attributesFile: "/nonexistent",
      hooksPath: "/nonexistent",
      fsmonitor: "/bin/false",
      untrackedCache: "true",
      sharedRepository: "group",
      bigFileThreshold: "1",
      checkStat: "minimal",
      notesRef: "refs/heads/main",
      commitGraph: "false",
      fsync: "all",
      quotePath: "true",
      ignoreCase: "true",
      trustctime: "false",
      alternateRefsCommand: "false",
      autocrlf: "true",
      preferSymlinkRefs: "true",
      filesRefLockTimeout: "0",
    },
    merge: {
      ff: "false",
      conflictStyle: "zdiff3",
      renames: "false",
      directoryRenames: "true",
      renormalize: "true",
      autoStash: "true",
      verifySignatures: "true",
      log: "true",
      default: "union",
      renameLimit: "1",
    },
    diff: {
      renames: "copies",
      external: "/bin/false",
      noprefix: "true",
      relative: "true",
      ignoreSubmodules: "all",
      submodule: "log",
      context: "0",
      autoRefreshIndex: "false",
      suppressBlankEmpty: "true",
      colorMoved: "zebra",
      trustExitCode: "true",
    },
    status: {
      short: "true",
      branch: "true",
      renames: "copies",
      showStash: "true",
      aheadBehind: "false",
      submoduleSummary: "true",
    },
    log: {
      showSignature: "true",
      follow: "true",
      mailmap: "false",
      decorate: "full",
      showRoot: "false",
      diffMerges: "separate",
      abbrevCommit: "true",
    },
    commit: { template: "/nonexistent", verbose: "2", status: "false" },
    rebase: { autoSquash: "true", autoStash: "true", updateRefs: "true", backend: "apply" },
    i18n: { commitEncoding: "ISO-8859-1", logOutputEncoding: "UTF-16" },
    index: { threads: "true", version: "4", sparse: "true", recordOffsetTable: "true" },
    feature: { manyFiles: "true", experimental: "true" },
    others: {
      "format.pretty": "full",
      "color.ui": "always",
      "column.ui": "always",
      "branch.autoSetupMerge": "always",
      "checkout.workers": "4",
      "protocol.allow": "never",
      "transfer.hideRefs": "refs/coppice",
      "include.path": "/nonexistent",
      "user.useConfigOnly": "true",
      "user.name": "é <x>",
      "attr.tree": "HEAD",
      "worktree.useRelativePaths": "true",
      "extensions.worktreeConfig": "true",
      "alias.status": "!false",
      "pager.status": "true",
      "submodule.recurse": "true",
      "rerere.enabled": "true",
      "includeIf.onbranch:feat.path": "/nonexistent",
      "apply.whitespace": "error",
      "gpg.program": "false",
      "transfer.fsckObjects": "true",
    },
  }
  const keys = (...sections: string[]) =>
    Object.fromEntries(
      sections.flatMap((section) =>
        Object.entries(settings[section]!).map(([name, value]) => [
          section === "others" ? name : `${section}.${name}`,
          value,
        ]),
      ),
    )

  test.each([
    [["core", "rebase"]],
    [["merge", "diff", "status"]],
    [["log", "commit", "i18n", "index", "feature"]],
    [["others"]],
  ])("%s", async (sections) => {
    await lands({ ...STORY, settings: keys(...sections) })
  })
})

describe("the user's index", () => {
  const users: Record<string, (repo: TestRepo) => void> = {
    split: (repo) => repo.git("update-index", "--split-index"),
    "of version 4, with a cache of untracked files": (repo) => {
      repo.git("update-index", "--untracked-cache", "--index-version", "4")
      repo.write({ "u.txt": "u" })
    },
    "sparse in cones": (repo) => repo.git("sparse-checkout", "set", "--sparse-index", "e"),
    "sparse, with a file there all the same": (repo) => {
      repo.git("sparse-checkout", "set", "--no-cone", "/*", "!/d/")
      repo.write({ "d/x": "mine\n" })
    },
    "told to skip an edited file": (repo) => {
      repo.git("update-index", "--skip-worktree", "d/x")
      repo.write({ "d/x": "mine\n" })
    },
    "told to take an edited file for unchanged": (repo) => {
      repo.git("update-index", "--assume-unchanged", "d/x")
      repo.write({ "d/x": "mine\n" })
    },
  }
  test.each(Object.entries(users))("%s", async (_, user) => {
    await lands({ ...STORY, user })
  })
})

describe("how objects and refs are kept", () => {
  const info = (repo: TestRepo, name: string, text: string) => {
    mkdirSync(join(repo.path, ".git/info"), { recursive: true })
    writeFileSync(join(repo.path, ".git", name), text)
  }
  const stores: Record<string, Partial<Story>> = {
    "by sha256": { repo: { objectFormat: "sha256" } },
    "packed, with objects of another repository": {
      user: (repo) => {
        const other = repo.clone("other.git", "--bare")
        repo.git("pack-refs", "--all")
        info(repo, "objects/info/alternates", `${other}/objects\n`)
        repo.git("repack", "-adlq")
      },
    },
    "with replaced commits and grafts": {
      user: (repo) => {
        repo.git("replace", repo.tip("main~1"), repo.tip("feat"))
        info(repo, "info/grafts", `${repo.tip("main")}\n`)
      },
    },
  }
  test.each(Object.entries(stores))("%s", async (_, store) => {
    await lands({ ...STORY, ...store })
  })

  test("with refs in tables", async ({ skip }) => {
    if (!KNOWS_TABLES) return skip("git is older than 2.46")
    const base = (repo: TestRepo) => {
      repo.commit({ "g.txt": LINES, ".gitignore": "*.o\n" }, "M0")
      repo.git("refs", "migrate", "--ref-format=reftable")
    }
    await lands({ ...STORY, base })
  })
})
