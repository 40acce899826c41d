/**
 * Reads the profile as the system does: of all rules for an operation, the last one that fits counts.
 * Only a Mac can run it, and none has.
 */
import { existsSync, mkdirSync, mkdtempDisposableSync, realpathSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { realPath } from "../../kernel/process/fence.ts"
import { inSeatbelt, type Seen, seatbeltProfile } from "./seatbelt.ts"

type Expression = string | readonly Expression[]

/** The rules of a profile. Words are as they stand; a string begins with `"`. */
function parse(profile: string): readonly Expression[] {
  const tokens = profile.match(/"(?:[^"\\]|\\.)*"|[()]|[^\s()"]+/g) ?? []
  const stack: Expression[][] = [[]]
  for (const token of tokens) {
    if (token === "(") stack.push([])
    else if (token === ")") {
      const done = stack.pop()!
      stack.at(-1)!.push(done)
    } else
      stack
        .at(-1)!
        .push(token.startsWith('"') ? `"${token.slice(1, -1).replace(/\\(.)/g, "$1")}` : token)
  }
  expect(stack).toHaveLength(1)
  return stack[0]!
}

const covers = (pattern: string, operation: string) =>
  pattern === "default" ||
  pattern === operation ||
  (pattern.endsWith("*") && operation.startsWith(pattern.slice(0, -1)))

function fits(filter: readonly Expression[], path: string): boolean {
  const [kind, value = ""] = filter as readonly string[]
  const at = value.slice(1)
  if (kind === "literal") return path === at
  if (kind === "subpath") return path === at || path.startsWith(`${at}/`)
  if (kind === "global-name" || kind === "sysctl-name") return path === at
  if (kind === "sysctl-name-prefix") return path.startsWith(at)
  return kind === "remote" && path === "address"
}

function allows(profile: string, operation: string, path: string): boolean {
  let decision = false
  for (const one of parse(profile)) {
    const [verb, ...rest] = one as readonly Expression[]
    const operations = rest.filter((word) => typeof word === "string")
    const filters = rest.filter((word) => typeof word !== "string")
    if (!operations.some((word) => covers(word, operation))) continue
    const isFit = filters.length === 0 || filters.some((filter) => fits(filter, path))
    if (isFit && (verb === "allow" || verb === "deny")) decision = verb === "allow"
  }
  return decision
}

const WORK = "/Users/me/app.worktrees/1-task"
const GIT = "/Users/me/.local/state/coppice/x/contained/1/ab/private"
const SEEN: Seen = {
  hidden: ["/Users/me", "/Users/me/.local/state/coppice/x", "/srv/home"],
  readable: ["/Users/me/.nvm/bin", "/Users/me/app/.git/objects"],
  writable: [WORK, GIT, `${GIT}/objects`, "/private/var/folders/x/home"],
  fixed: [`${WORK}/.git`, `${GIT}/config`, `${GIT}/objects/info`],
  network: false,
}
const profile = seatbeltProfile(SEEN)

test.each([
  [`${WORK}/src/a.ts`, true],
  [`${GIT}/refs/heads/x`, true],
  [`${GIT}/objects/ab/cd`, true],
  ["/private/var/folders/x/home/.npm/a", true],
  [WORK, false], // nothing takes its place
  [`${GIT}/objects`, false],
  [`${WORK}/.git`, false],
  [`${GIT}/config`, false],
  [`${GIT}/objects/info/alternates`, false],
  [`${WORK}-other/a`, false],
  ["/Users/me/app/.git/objects/ab", false],
  ["/Users/me/app/.git/refs/heads/main", false],
  ["/Users/me/app/.git/hooks/pre-commit", false],
  ["/Users/me/.zshrc", false],
  ["/private/tmp/x", false],
  ["/etc/hosts", false],
  ["/dev/ttys001", false],
])("a write of %s is allowed: %s", (path, isAllowed) => {
  for (const operation of ["file-write-data", "file-write-create", "file-write-unlink"])
    expect([operation, allows(profile, operation, path)]).toEqual([operation, isAllowed])
})

test.each([
  [`${WORK}/src/a.ts`, true],
  [`${WORK}/.git`, true],
  ["/Users/me/app/.git/objects/ab/cd", true],
  ["/Users/me/.nvm/bin/node", true],
  ["/usr/lib/libSystem.dylib", true],
  ["/opt/homebrew/bin/git", true],
  ["/Users/me/.ssh/id_ed25519", false],
  ["/Users/me/app/.git/config", false],
  ["/Users/other/file", false],
  ["/Users/me/.local/state/coppice/x/token", false],
  ["/srv/home/.ssh/key", false],
  ["/Library/Keychains/System.keychain", false],
  ["/private/tmp/com.apple.launchd.x/Listeners", false],
  ["/private/var/folders/x/other", false],
  ["/Volumes/disk/file", false],
])("a read of %s is allowed: %s", (path, isAllowed) => {
  expect(allows(profile, "file-read-data", path)).toBe(isAllowed)
})

test("programs start, and reach neither keychains nor preferences nor other processes", () => {
  for (const operation of ["process-exec", "process-fork"])
    expect(allows(profile, operation, "/bin/sh")).toBe(true)
  expect(allows(profile, "mach-lookup", "com.apple.logd")).toBe(true)
  for (const name of [
    "com.apple.SecurityServer",
    "com.apple.securityd.xpc",
    "com.apple.cfprefsd.agent",
  ])
    expect([name, allows(profile, "mach-lookup", name)]).toEqual([name, false])
  expect(allows(profile, "sysctl-read", "hw.ncpu")).toBe(true)
  expect(allows(profile, "sysctl-read", "kern.procargs2")).toBe(false)
  for (const operation of ["file-link", "user-preference-read", "appleevent-send", "job-creation"])
    expect([operation, allows(profile, operation, `${WORK}/a`)]).toEqual([operation, false])
  expect(profile).toContain("(allow process-info* signal (target same-sandbox))")
})

test("without a network no address is reached, and with one no socket of another program", () => {
  const sockets = ["/private/var/run/docker.sock", "/private/tmp/com.apple.launchd.x/Listeners"]
  const open = seatbeltProfile({ ...SEEN, network: true })
  for (const one of [profile, open])
    for (const path of sockets) expect(allows(one, "network-outbound", path)).toBe(false)
  expect(allows(profile, "network-outbound", "address")).toBe(false)
  expect(allows(open, "network-outbound", "address")).toBe(true)
  expect(allows(profile, "network-outbound", "/private/var/run/mDNSResponder")).toBe(false)
  expect(allows(open, "network-outbound", "/private/var/run/mDNSResponder")).toBe(true)
  expect(allows(profile, "network-bind", `${WORK}/server.sock`)).toBe(true)
})

test.each([
  'a "b"',
  "back\\slash",
  "(allow default)",
  "sp ace",
  "ünï",
  '") (allow file-write*) ("',
])("a folder named %j is one string of the profile", (name) => {
  const odd = seatbeltProfile({ ...SEEN, writable: [`/Users/me/${name}`], fixed: [] })
  expect(parse(odd)).toHaveLength(parse(profile).length - 1)
  expect(allows(odd, "file-write-data", `/Users/me/${name}/x`)).toBe(true)
  expect(allows(odd, "file-write-data", "/Users/me/x")).toBe(false)
})

test.each(["a\nb", "a\u0000b", "a\tb", "\u007f"])("a folder named %j is refused", (name) => {
  expect(() => seatbeltProfile({ ...SEEN, writable: [name] })).toThrow("control character")
})

const PATHS = { home: null, readable: [], caches: [] } as const
const FENCE = { ...PATHS, network: false, findReal: realPath }

test("the program gets a git directory, a HOME and a TMPDIR of its own, which go with it", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "seatbelt-"))
  const root = realpathSync(folder.path)
  const [work, git] = [join(root, "work"), join(root, "git/private")]
  for (const path of [work, git]) mkdirSync(path, { recursive: true })
  const gitfile = join(root, "git/gitfile")
  writeFileSync(gitfile, `gitdir: ${git}\n`)
  const env = { HOME: "/Users/me", SSH_AUTH_SOCK: "/x", GIT_DIR: "/y", KEPT: "1" }
  const launch = { command: "/bin/sh", args: ["-c", "true"], cwd: work, env }
  const fixed = [{ from: gitfile, at: join(work, ".git") }]
  const fence = { ...FENCE, writable: [work, git], fixed }
  const inside = inSeatbelt(launch, fence, { programs: ["/usr/bin"], stateDir: join(root, "git") })
  const [option, text = "", ...words] = inside.args
  expect([inside.command, option, ...words]).toEqual([
    "/usr/bin/sandbox-exec",
    "-p",
    "/bin/sh",
    "-c",
    "true",
  ])
  const { HOME, TMPDIR, ...rest } = inside.env
  expect(rest).toEqual({ KEPT: "1", GIT_DIR: git, GIT_WORK_TREE: work })
  for (const own of [HOME!, TMPDIR!]) {
    expect(existsSync(own)).toBe(true)
    expect(allows(text, "file-write-create", join(own, "x"))).toBe(true)
  }
  expect(allows(text, "file-write-create", join(work, "x"))).toBe(true)
  expect(allows(text, "file-read-data", join(root, "git/token"))).toBe(false)
  await inside.cleanUp?.({ code: 0, signal: null })
  expect([existsSync(HOME!), existsSync(work)]).toEqual([false, true])
  const two = { ...fence, fixed: [...fixed, { from: gitfile, at: "/other/.git" }] }
  const of = { programs: [], stateDir: root }
  expect(() => inSeatbelt(launch, two, of)).toThrow("one repository")
  const cached = { ...fence, caches: [{ from: "/a", at: "/b" }] }
  expect(() => inSeatbelt(launch, cached, of)).toThrow("`contained.caches`")
})
