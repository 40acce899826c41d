import { execFileSync, spawnSync } from "node:child_process"
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import { git, readConfigAt } from "./exec.ts"
import { isHarmless, isToolsSection } from "./harmless-settings.ts"
import { CREDENTIAL_HELPER } from "./program-rules.ts"
import { listGitPrograms, SECTIONS_OF_GIT } from "./program-settings.ts"

/** By the manuals of git 2.39 to 2.54 and of git-lfs, these run a program or lead git elsewhere. */
const DANGEROUS = [
  ...["alias.remote-evil", "alias.credential-evil.command", "bundle.a.uri", "bundle.mode"],
  ...["core.alternateRefsCommand", "core.askPass", "core.editor", "core.fsmonitor"],
  ...["core.gitProxy", "core.hooksPath", "core.pager", "core.sshCommand", "core.virtualFilesystem"],
  ...["credential.helper", "credential.https://a.example.helper", "credential.protectProtocol"],
  ...["diff.a.command", "diff.a.textconv", "diff.external", "fetch.bundleURI"],
  ...["filter.a.clean", "filter.a.process", "filter.a.smudge", "gc.recentObjectsHook"],
  ...["gc.repackFilterTo", "gpg.program", "gpg.ssh.defaultKeyCommand", "gpg.ssh.program"],
  ...["gpg.x509.program", "hook.a.command", "http.cookieFile", "http.curloptResolve"],
  ...["http.https://a.example.proxy", "http.https://a.example.sslVerify", "http.pinnedPubkey"],
  ...["http.proxy", "http.saveCookies", "http.sslCAInfo", "http.sslCert", "http.sslKey"],
  ...["http.sslVerify", "init.templateDir", "interactive.diffFilter", "lfs.customtransfer.a.args"],
  ...["lfs.customtransfer.a.path", "lfs.extension.a.clean", "lfs.extension.a.smudge"],
  ...["lfs.https://a.example.standalonetransferagent", "lfs.standalonetransferagent"],
  ...["lfs.storage", "merge.a.driver", "promisor.acceptFromServer", "promisor.acceptFromServerUrl"],
  ...["protocol.allow", "protocol.evil.allow", "protocol.ext.allow", "remote.origin.proxy"],
  ...["remote.origin.receivepack", "remote.origin.uploadpack", "sequence.editor"],
  ...["http.extraHeader", "http.https://a.example.extraHeader", "push.pushOption"],
  ...["submodule.a.gitdir", "submodule.a.update", "tar.a.command", "trace2.eventTarget"],
  ...["transfer.bundleURI", "trailer.a.cmd", "trailer.a.command", "uploadpack.packObjectsHook"],
]
/** Keys that no git has, and keys of programs that a filter of a person's starts. */
const UNKNOWN = [
  ...["core.nextCommand", "lfs.next", "lfs.a.next", "remote.a.next", "credential.a.next"],
  ...["annex.freezecontent-command", "remote.a.annex-rsync-transport", "transcrypt.openssl-path"],
]

/** Everyday keys of tools, also in sections of git. */
const OF_TOOLS = [
  ...[
    "branch.a.b.gitButler",
    "branch.a.gh-merge-base",
    "branch.a.wt-parent",
    "credential.provider",
  ],
  ...["credential.https://x.example.gitHubAuthModes", "delta.side-by-side", "fetch.fsck.badDate"],
  ...["gitg.x", "graphite.trunk", "gui.encoding", "http.emptyAuth", "http.sslBackend"],
  ...["http.https://x.example.schannelCheckRevoke", "i18n.filesEncoding", "jira.url", "jira.a.url"],
  ...["lfs.https://x.example.access", "lfs.largefilewarning", "lfs.transfer.maxretrytime"],
  ...[
    "core.partialCloneFilter",
    "core.useBuiltinFSMonitor",
    "diff.a.funcname",
    "pack.writeBitmaps",
  ],
  ...["remote.a.projectname", "remote.a.review", "user.initials"],
  ...["maintenance.strategy", "receive.fsck.skipList", "remote.a.github-pr-remote", "wt.a.path"],
]

const PLACES = ["config", "config.worktree", "included"] as const

test("no git of ours sees a program that the repository's own configuration names [14.10]", async () => {
  using repo = new TestRepo()
  repo.git("config", "extensions.worktreeConfig", "true")
  repo.git("config", "include.path", "included")
  const usual = readFileSync(join(repo.path, ".git/config"))
  const seen: string[] = []
  for (const [at, key] of [...DANGEROUS, ...UNKNOWN].entries()) {
    for (const place of PLACES)
      writeFileSync(join(repo.path, ".git", place), place === "config" ? usual : "")
    const file = join(repo.path, ".git", PLACES[at % PLACES.length] ?? "")
    execFileSync("git", ["config", "--file", file, key, "evil"])
    const said = await git(repo.path, ["config", "--get-all", key], { answers: [0, 1] }).then(
      ({ stdout }) => stdout.split("\n").at(-2),
      ({ code }) => code,
    )
    if (said === "evil") seen.push(key)
    else if (UNKNOWN.includes(key)) expect(said, key).toBe("git.setting_unapproved")
  }
  expect(seen.toSorted(), "off by GIT_PROXY_COMMAND, an empty list, hook.a.enabled").toEqual([
    "core.gitProxy",
    "credential.https://a.example.helper",
    "hook.a.command",
  ])
})

test("a dangerous setting with an empty value counts too, but for a helper of credentials [14.10]", async () => {
  const asked = (value: string) =>
    listGitPrograms(
      DANGEROUS.map((key) => ({ scope: "local", key: key.toLowerCase(), value })),
      "",
    ).map(({ key }) => key)
  expect(asked("")).toContain("http.sslverify")
  expect(asked("")).toEqual(asked("evil").filter((key) => !CREDENTIAL_HELPER.test(key)))
  using repo = new TestRepo()
  repo.userConfig("filter.a.clean", "users")
  repo.git("config", "filter.a.clean", "")
  const said = (await git(repo.path, ["config", "--get", "filter.a.clean"])).stdout
  expect(said.trim()).toBe("users")
})

test.each([
  ["http.extraheader", "Authorization: basic x", true],
  ["http.https://x.example/.extraheader", "AUTHORIZATION: bearer x", true],
  ["http.extraheader", "Host: evil.example", false],
  ["http.extraheader", "", false],
  ["http.extraheader", "Authorization: x\nHost: evil.example", false],
  ["http.useragent", "x\r\nHost: evil.example", false],
  ["http.useragent", "x", true],
])("whether %s = %j is harmless: %s", (key, value, isIt) => {
  expect(isHarmless({ key, value })).toBe(isIt)
})

const hasLfs = spawnSync("git", ["lfs", "version"]).status === 0

test.skipIf(!hasLfs)(
  "git-lfs, which a filter of the user's starts, runs nothing of the repository's [14.10]",
  async () => {
    using repo = new TestRepo()
    const mark = join(repo.folder, "mark")
    repo.userConfig("filter.lfs.process", "git-lfs filter-process")
    repo.userConfig("filter.lfs.required", "true")
    repo.userConfig("filter.lfs.clean", "git-lfs clean -- %f")
    const evil = `[lfs "extension.x"]\n\tclean = touch ${mark}\n\tsmudge = touch ${mark}\n\tpriority = 0
[lfs]\n\tstandalonetransferagent = x\n[lfs "customtransfer.x"]\n\tpath = touch\n\targs = ${mark}\n`
    appendFileSync(join(repo.path, ".git/config"), evil)
    repo.write({ ".gitattributes": "*.bin filter=lfs\n", ".lfsconfig": evil, "a.bin": "a" })
    await git(repo.path, ["add", "."])
    expect((await git(repo.path, ["show", ":a.bin"])).stdout).toMatch(/^version https:\/\/git-lfs/)
    await git(repo.path, ["checkout-index", "--force", "a.bin"])
    expect(existsSync(mark)).toBe(false)
    execFileSync("git", ["-C", repo.path, "add", "--renormalize", "a.bin"], { stdio: "ignore" })
    expect(existsSync(mark), "it is one").toBe(true)
  },
)

test("no harmless setting has the name of a program", () => {
  const list = readFileSync(join(import.meta.dirname, "harmless-settings.ts"), "utf8")
  const names = list.slice(list.indexOf("const NAMES:"), list.indexOf("}\n")).match(/[\w-]+/g) ?? []
  expect(names.length).toBeGreaterThan(400)
  const suspect =
    /(cmd|command|program|driver|hook|hookspath|helper|agent|editor|pager|exec|external|textconv|askpass|smudge|clean|process|proxy)$/i
  const found = names.filter((name) => suspect.test(name))
  expect(found).toEqual(["clean", "cachetextconv", "reschedulefailedexec"]) // a section, and switches
})

test("a usual repository, and one of many tools, has harmless settings alone [14.11]", async () => {
  using repo = new TestRepo()
  appendFileSync(
    join(repo.path, ".git/config"),
    `[core]\n\tautocrlf = input\n\tignoreCase = true\n\tprecomposeUnicode = true\n\tlongPaths = true
[remote "origin"]\n\turl = https://x.example/a.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*
\tgh-resolved = base\n\tpromisor = true\n\tpartialclonefilter = blob:none
[branch "a.b"]\n\tremote = origin\n\tmerge = refs/heads/main\n\tvscode-merge-base = origin/main
\tgithub-pr-owner-number = a#b#1\n\tmergeOptions = --no-ff
[lfs]\n\trepositoryformatversion = 0
[lfs "https://x.example/a.git/info/lfs"]\n\taccess = basic\n\tlocksverify = false
[submodule "lib"]\n\tactive = true\n\turl = https://x.example/lib.git
[http "https://x.example/"]\n\textraheader = AUTHORIZATION: basic x
[gitflow "branch"]\n\tmaster = main\n[pull]\n\trebase = true\n[alias]\n\tco = checkout
[includeIf "gitdir:/x/"]\n\tpath = more\n[gc]\n\tauto = 0\n[user]\n\tsigningKey = ABC
[url "https://x.example/"]\n\tinsteadOf = x:\n[core]\n\thooksPath = .husky/_\n\tfsmonitor = true
`,
  )
  for (const key of OF_TOOLS) repo.git("config", key, "x")
  const config = await readConfigAt(repo.path)
  expect(config.some(({ key }) => key === "gitflow.branch.master")).toBe(true)
  for (const key of ["core.next", "core.a.autocrlf"])
    expect(isHarmless({ key, value: "x" })).toBe(false)
})

test("the sections of the installed git are known", () => {
  const sections = execFileSync("git", SECTIONS_OF_GIT, { encoding: "utf8" }).trim().split("\n")
  expect(sections).toEqual(expect.arrayContaining(["add", "core", "worktree"]))
  expect(sections.filter((section) => isToolsSection(`${section.toLowerCase()}.x`))).toEqual([])
})
