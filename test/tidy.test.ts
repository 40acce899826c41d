/**
 * House rules for files, checked like any other promise. test/rooms.test.ts has those for rooms.
 */
import { globSync, readFileSync } from "node:fs"
import { basename } from "node:path"
import { describe, expect, test } from "vitest"
import { PURE } from "./support/house.ts"
import { offenders, readSources, type Source, targets } from "./support/source.ts"

/** The layers of src/kernel/git: each may import from itself and from those before it. */
const GIT_LAYERS: Readonly<Record<string, string>> = {
  start: "starts a git, with its environment and limits",
  ask: "questions to git: they write nothing but scratch files",
  change: "writes objects, indexes, refs or worktrees",
}

/** The few places that may name certain things. */
const RESERVED: readonly { what: RegExp; by: RegExp; rule: string }[] = [
  {
    what: /^@octokit\//,
    by: /^src\/features\/rest\/github\.ts$/,
    rule: "one file sends requests to GitHub",
  },
  {
    what: /^src\/kernel\/git\/start\/exec\.ts$/,
    by: /^src\/kernel\/git\//,
    rule: "git commands have files in src/kernel/git",
  },
  {
    what: /^src\/kernel\/git\/start\/worker(-pool|-lines|-answer)?\.ts$/,
    by: /^src\/kernel\/git\/start\/(exec|worker|worker-pool)\.ts$/,
    rule: "exec.ts alone has shells start git",
  },
  {
    what: /^src\/kernel\/git\/change\/push\.ts$/,
    by: /^src\/features\/(pull-requests\/ship|push-target)\//,
    rule: "pull requests and push_target push, and nothing else",
  },
  {
    what: /^src\/kernel\/git\/change\/rebase\.ts$/,
    by: /^src\/kernel\/landing\/rebase-to-main\.ts$/,
    rule: "a branch is rebased at its agent's request alone",
  },
  {
    what: /^src\/kernel\/git\/change\/switch\.ts$/,
    by: /^src\/(features\/pool\/|kernel\/landing\/gate\/put-back-head\.ts)/,
    rule: "git switches branches in a worktree of a pool, and back after a gate",
  },
  {
    what: /^src\/kernel\/git\/change\/worktree-remove\.ts$/,
    by: /^src\/kernel\/workspaces\/removal\.ts$/,
    rule: "one file removes worktrees",
  },
  {
    what: /^src\/kernel\/workspaces\/trash\.ts$/,
    by: /^src\/(kernel\/workspaces\/removal|features\/pool\/stray-files)\.ts$/,
    rule: "folders are deleted by what recorded or saved them",
  },
  {
    what: /^src\/kernel\/git\/change\/branches\.ts$/,
    by: /^src\/kernel\/workspaces\/(git-worktree\/delete-unused|follow-branch|mend-branch)\.ts$/,
    rule: "a branch is deleted only by what knows whose it is",
  },
  {
    what: /^src\/kernel\/landing\/move\//,
    by: /^src\/kernel\/landing\/|^src\/features\/(alternatives|preview|push-target|stacks|target-alarm)\//,
    rule: "a feature moves no target, but for those that are listed",
  },
  {
    what: /^src\/kernel\/git\/change\/update-ref\.ts$/,
    by: /^src\/kernel\/|^src\/features\/(clean-up|containment|git-hooks|stacks|uninstall)\//,
    rule: "a feature moves no ref, but for those that are listed",
  },
  {
    what: /^src\/kernel\/git\/change\//,
    by: /^src\/kernel\/|^src\/features\/(clean-up|clone|containment|git-hooks|homes|pool|pull-requests|push-target|signing|stacks|uninstall)\/|^src\/api\/documents\/live-work\.ts$/,
    rule: "a feature writes nothing through git, but for those that are listed",
  },
  {
    what: /^better-sqlite3$/,
    by: /^src\/kernel\/store\/open\.ts$/,
    rule: "one file opens the database",
  },
  {
    what: /^node:child_process$/,
    by: /^src\/(kernel\/process|api\/client|features\/(containment))\/|^src\/kernel\/git\/start\/(exec|worker)\.ts$/,
    rule: "few places start processes",
  },
  {
    what: /^src\/kernel\/(git|store|landing|workspaces)\//,
    by: /^(?!src\/features\/((acp|claude|codex|command)\/|sources\/trackers\/|sources\/chat\/(slack|discord)|pull-requests\/forges\/))/,
    rule: "runtimes, trackers, chats and forges know no git, no store and no landing",
  },
  { what: /^(react|react-dom)(\/|$)/, by: /^dashboard\//, rule: "one folder is a web page" },
  {
    what: /^src\/api\/client\/(?!client\.ts$)/,
    by: /^src\/|^torture\//,
    rule: "a page sees only the client's interface, which is types",
  },
  { what: /^@anthropic-ai\//, by: /^src\/features\/claude\//, rule: "a runtime knows its program" },
  {
    what: /^(fastify$|@fastify\/|pino$)/,
    by: /^src\/(daemon\/|api\/(server\/|(feature|feature-host)\.ts$)|features\/(homes|links|metrics|terminals|traces)\/)/,
    rule: "the daemon serves and logs",
  },
  {
    what: /^@modelcontextprotocol\//,
    by: /^src\/(surfaces\/mcp|api\/server)\//,
    rule: "agents and a person's own programs have an MCP server each",
  },
]

/** Commands of git that move a ref. Those that a task's own branch needs have files of their own. */
const MOVES_REFS = [
  ...["update-ref", "branch", "reset", "merge", "rebase", "pull", "push", "cherry-pick", "revert"],
  ...["am", "switch", "checkout", "stash", "tag", "filter-branch", "replace", "notes"],
]
const WRITES_HEAD = /^(refs\/heads\/|-d$|--delete$|-m$)/
/** src/launch.ts hands these streams to surfaces/cli/output.ts. */
const TERMINAL = /^(console|process\.std(out|err))\b/
/** Where files lie that an agent or a cloned repository can have put there. */
const BESIDE_OTHERS = /^src\/(daemon|features|api|kernel\/(git|landing|runtime|tasks|workspaces))\//
/** A table may keep its own layout; a rule is followed or changed, never switched off. */
const SUPPRESSION = /biome-ignore(?!(-start|-end)? format)|@ts-(ignore|expect-error|nocheck)/
/** Folders of the program that work in repositories, worktrees and folders of users. */
const WHERE_USERS_ARE = /^src\/(daemon|features|kernel\/(git|landing|tasks|workspaces))\//
const REMOVES = /(^|\.)(rm|rmdir|unlink)(Sync)?$/
/** Files that may remove a file or an empty folder. The list only shrinks. */
const REMOVING = [
  "src/features/attach/watch-attachments.ts",
  "src/features/containment/left-containers.ts", // of our state
  "src/features/pool/drop-entry.ts",
  "src/features/runtimes/transcripts.ts", // of our state
  "src/features/trust/trust-record.ts", // of our state
  "src/features/uninstall/remove-folders.ts", // our state
  "src/kernel/git/change/note-made.ts",
  "src/kernel/git/change/own-index.ts",
  "src/kernel/git/change/read-tree.ts",
  "src/kernel/landing/gate/restore-worktree.ts",
  "src/kernel/landing/move/mend-advance.ts",
  "src/kernel/tasks/agent-folders.ts",
  "src/kernel/workspaces/colliding-files.ts",
  "src/kernel/workspaces/git-worktree/copy-whole.ts",
  "src/kernel/workspaces/git-worktree/disposable.ts",
  "src/kernel/workspaces/git-worktree/fill-worktree.ts",
  "src/kernel/workspaces/locks/dead-locks.ts",
  "src/kernel/workspaces/own-files.ts",
  "src/kernel/workspaces/setup/made-by-set-up.ts",
  "src/kernel/workspaces/task-refs.ts",
  "src/kernel/workspaces/trash.ts",
]
const RESOLVES = /(^|\.)(real[pP]ath|readlink)(Sync)?(\.native)?$/
/** Files that may follow links where an agent may have left one. The list only shrinks. */
const RESOLVING: readonly string[] = [
  "src/daemon/own-path.ts", // of the PATH, to leave out what lies among agents' work
  "src/features/containment/containment.ts", // this package, and main worktrees
  "src/features/containment/portable-node.ts", // libraries of our Node
  "src/features/containment/private-git.ts", // to refuse a link among alternates
  "src/features/containment/read-only-view.ts", // of a view that hides no file of the user
  "src/features/containment/sandbox.ts", // folders of the system
  "src/features/demo/begin-demo.ts", // our own temporary folder
  "src/features/doctor/repository-check.ts", // of the person who asks
  "src/features/own-work/find-work.ts", // of the person who types its name
  "src/features/permissions/reached-path.ts", // to judge where it leads
  "src/features/pool/pools.ts",
  "src/features/reviews/reviewer-view.ts", // HOME
  "src/features/torture/command.ts", // of the person who types its name
  "src/features/trust/git-config.ts",
  "src/features/trust/require-trust.ts", // of the home's own repositories
  "src/features/trust/trust-record.ts",
  "src/kernel/git/ask/repository.ts",
  "src/kernel/git/ask/status.ts",
  "src/kernel/git/ask/worktree-of.ts",
  "src/kernel/git/change/add-raw.ts", // the text of a link, which is committed
  "src/kernel/git/start/environment-at.ts",
  "src/kernel/git/start/git-dir.ts",
  "src/kernel/git/start/real-place.ts", // refuses links of agents
  "src/kernel/landing/move/mend-ownership.ts", // the text of a link, which is compared
  "src/kernel/tasks/actions/target.ts", // of the person who types its name
  "src/kernel/workspaces/git-worktree/made-folder.ts", // after it has refused a link of an agent
  "src/kernel/workspaces/git-worktree/place-files.ts", // to refuse a link that leads out
  "src/kernel/workspaces/git-worktree/place-into.ts",
  "src/kernel/workspaces/removal.ts", // to refuse a link
  "src/kernel/workspaces/setup/unfilled-parts.ts",
]
/**
 * Exported names that are the same by convention: `command` of a command's file, and the value of a feature's
 * index.ts, which has the feature's name.
 */
const IS_CONVENTION = ({ path }: Source, name: string): boolean =>
  name === "command" || /^src\/features\/[\w-]+\/index\.ts$/.test(path)
const VAGUE_FILE = /(util|helper|manager|service|common|misc)s?\b/
const VAGUE_NAME = /^(get|handle|manage)[A-Z]|(Manager|Helper|Service|Util)s?$/
const FILE_LINES_MAX = 400
const FUNCTION_LINES_MAX = 70
const PARAMETERS_MAX = 4
const EXPORTS_MAX = 6

const sources = readSources()

describe("a file", () => {
  test("starts by saying what it is for", () => {
    expect(offenders(({ text }) => !/^\/\*\*\s+(\* )?\S/.test(text))).toEqual([])
  })

  test("of src imports types alone from Node's HTTP modules: all else would load undici", () => {
    const isImport = /^(im|ex)port (?!type )[^"]* from "node:https?"/m
    expect(offenders(({ path, text }) => path.startsWith("src/") && isImport.test(text))).toEqual(
      [],
    )
  })

  test("of src/kernel/git belongs to a layer, and imports from its own and lower ones", () => {
    const layers = Object.keys(GIT_LAYERS)
    const layerOf = (path: string) =>
      layers.indexOf(/^src\/kernel\/git\/(?:(\w+)\/)?/.exec(path)?.[1] ?? "")
    const inGit = (path: string) => path.startsWith("src/kernel/git/")
    expect(offenders(({ path }) => inGit(path) && layerOf(path) < 0)).toEqual([])
    const above = (source: Source) =>
      targets(source).filter((to) => inGit(to) && layerOf(to) > layerOf(source.path))
    expect(offenders((source) => (inGit(source.path) ? above(source) : []))).toEqual([])
  })

  test.each(RESERVED)("keeps to the rule: $rule [8.1]", ({ what, by }) => {
    // A rule about a file that has moved would pass for ever.
    const isUsed = (source: Source) =>
      by.test(source.path) && targets(source).some((t) => what.test(t))
    expect(sources.some(isUsed), "the rule is about something that is there").toBe(true)
    const named = (source: Source) =>
      by.test(source.path) ? [] : targets(source).filter((target) => what.test(target))
    expect(offenders(named)).toEqual([])
  })

  test("is small, and so are its functions", () => {
    expect(offenders(({ text }) => lineCount(text) > FILE_LINES_MAX)).toEqual([])
    expect(
      offenders(({ functions }) =>
        functions
          .filter((one) => one.lines > FUNCTION_LINES_MAX || one.parameters > PARAMETERS_MAX)
          .map((one) => `${one.name}: ${one.lines} lines, ${one.parameters} parameters`),
      ),
    ).toEqual([])
  })

  test("exports few values", () => {
    expect(offenders(({ exports }) => (exports.length > EXPORTS_MAX ? exports : []))).toEqual([])
  })

  test("has a name that says something, and so have its exports", () => {
    expect(offenders(({ path }) => VAGUE_FILE.test(basename(path)))).toEqual([])
    expect(offenders(({ exports }) => exports.filter((name) => VAGUE_NAME.test(name)))).toEqual([])
  })

  test("of src exports no value whose name another file exports", () => {
    const exported = sources
      .filter(({ path }) => path.startsWith("src/"))
      .flatMap((source) =>
        source.exports
          .filter((name) => !IS_CONVENTION(source, name))
          .map((name) => ({ name, path: source.path })),
      )
    const twice = [...Map.groupBy(exported, ({ name }) => name)]
      .filter(([, all]) => all.length > 1)
      .map(([name, all]) => `${name}: ${all.map(({ path }) => path).join(", ")}`)
    expect(twice).toEqual([])
  })

  test("is not a barrel", () => {
    expect(offenders(({ path, reexports }) => reexports && path !== "src/index.ts")).toEqual([])
  })

  test("switches no rule off", () => {
    expect(offenders(({ text }) => SUPPRESSION.test(text))).toEqual([])
  })
})

describe("one place", () => {
  test("starts git: kernel/git/start/exec.ts, itself or through the shells of kernel/git/start/worker.ts", () => {
    const starting = (source: Source) =>
      source.strings.includes("git") &&
      targets(source).some((name) =>
        /^(node:child_process$|src\/kernel\/process\/(?!cgroup-folder|find-program))/.test(name),
      )
    expect(offenders(starting)).toEqual([
      "src/kernel/git/start/exec.ts",
      "src/kernel/git/start/worker.ts",
    ])
  })

  test("moves refs: kernel/git/change/update-ref.ts; switch.ts and rebase.ts a worktree's own branch, push.ts a remote's [2.3]", () => {
    const moving = ({ path, commands }: Source) =>
      path.startsWith("src/kernel/git/") && commands.some((word) => MOVES_REFS.includes(word))
    // Which folders may use the other two is in the rules above.
    expect(offenders(moving)).toEqual([
      "src/kernel/git/change/push.ts",
      "src/kernel/git/change/rebase.ts",
      "src/kernel/git/change/switch.ts",
      "src/kernel/git/change/update-ref.ts",
    ])
    // Rules do not act: what they name is for a person to type.
    const naming = ({ path, strings }: Source) =>
      !PURE.test(path) && strings.some((text) => /\bupdate-ref\b/.test(text))
    expect(offenders(naming)).toEqual(["src/kernel/git/change/update-ref.ts"])
  })

  test("reads what others may have put in a file's place: kernel/process/plain-file.ts [12.9]", () => {
    const reading = ({ path, uses }: Source) =>
      BESIDE_OTHERS.test(path) && [...uses].some((name) => /\breadFile(Sync)?$/.test(name))
    // Commands load no more than they need, so they have a reader of their own.
    expect(offenders(reading).toSorted()).toEqual([
      "src/api/client/daemon-address.ts", // of this package
      "src/api/client/process-alive.ts", // of /proc
      "src/api/client/read-small.ts",
      "src/api/client/start-daemon.ts", // of the daemon's own log
      "src/daemon/inherited-descriptors.ts", // of /proc
      "src/features/doctor/doctor.ts", // of /proc
      "src/features/plan-files/cli.ts", // of the person who types its name
    ])
  })

  test("writes to a terminal: surfaces/cli/output.ts, which cleans what it writes [36.1]", () => {
    const writing = ({ uses }: Source) => [...uses].filter((name) => TERMINAL.test(name))
    const others = ({ path }: Source) =>
      path !== "src/launch.ts" && path !== "src/kernel/git/start/trace-commands.ts" // on request; it cleans too
    expect(offenders((source) => (others(source) ? writing(source) : []))).toEqual([])
  })

  test("removes files where a user's may be: this list [33.4]", () => {
    const removing = ({ path, uses }: Source) =>
      WHERE_USERS_ARE.test(path) && [...uses].some((name) => REMOVES.test(name))
    expect(offenders(removing).toSorted()).toEqual(REMOVING)
  })

  test("resolves a path where agents may have left a link: kernel/git/start/real-place.ts [43.31]", () => {
    const resolving = ({ path, uses }: Source) =>
      WHERE_USERS_ARE.test(path) && [...uses].some((name) => RESOLVES.test(name))
    expect(offenders(resolving).toSorted()).toEqual(RESOLVING)
  })

  test("names symbolic refs, to read them: kernel/git/ask/head.ts", () => {
    const writing = ({ commands, strings }: Source) =>
      commands.includes("symbolic-ref") ? strings.filter((text) => WRITES_HEAD.test(text)) : []
    expect(offenders(writing)).toEqual([])
    const naming = ({ commands }: Source) => commands.includes("symbolic-ref")
    expect(offenders(naming)).toEqual(["src/kernel/git/ask/head.ts"])
  })
})

test("fields stand in their literal, not in a second one that is spread into it", () => {
  const spreading = globSync("{src,torture}/**/*.ts").filter((path) =>
    readFileSync(path, "utf8").includes(`...${"{"}`),
  )
  expect(spreading).toEqual([])
})

test("tests and scripts keep to the size of a file as well", () => {
  const long = globSync(
    "{src,dashboard,test,scripts,demo,bench,prove,replay,torture}/**/*.{ts,tsx,mjs,css}",
  ).filter((path) => lineCount(readFileSync(path, "utf8")) > FILE_LINES_MAX)
  expect(long).toEqual([])
})

const lineCount = (text: string): number => text.trimEnd().split("\n").length
