/** An error may carry secrets: none of them reaches the daemon's log. */
import { execFileSync } from "node:child_process"
import {
  appendFileSync,
  closeSync,
  mkdirSync,
  mkdtempDisposableSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { expect, test } from "vitest"
import { DaemonLog } from "../api/client/daemon-log.ts"
import { daemonLogPath, stateDirOf } from "../api/client/state-dir.ts"
import { boundLog, createLogTo, trimLog } from "./log.ts"

const ENV = { DEPLOY_TOKEN: "deploy-secret-1", GITHUB_PAT: "forge-secret-2", HOME: "/home/ada" }

function logged(error: unknown) {
  const lines: string[] = []
  createLogTo({ write: (line) => lines.push(line) }, ENV).error({ err: error }, "it failed")
  expect(lines).toHaveLength(1)
  const [line = ""] = lines
  return { line, err: JSON.parse(line).err }
}

test("an error is logged with message, code, stack and cause, and nothing else of it [12.20]", () => {
  const headers = { authorization: "token header-secret-3" }
  const cause = Object.assign(new Error("the server answered 500"), { request: { headers } })
  const error = Object.assign(new Error("no comment", { cause }), { code: "E_FORGE", headers })
  const { line, err } = logged(error)
  expect(err).toMatchObject({ type: "Error", message: "no comment", code: "E_FORGE" })
  expect(err.stack).toContain("log.test.ts")
  expect(err.cause.message).toBe("the server answered 500")
  expect(line).not.toContain("header-secret")
})

test.each([
  ["push to https://ada:pass-word@forge.example/a.git failed", "pass-word"],
  ["push to 'https://ada:pa/ss\"-word@forge.example/a.git' failed", "-word"],
  ["POST https://hooks.example/services/hook-secret failed", "hook-secret"],
  ["GET https://forge.example?private_token=query-secret failed", "query-secret"],
  ["sent Authorization: Bearer abcdef-012345 to it", "abcdef-012345"],
  ["the token ghp_0123456789abcdef is refused", "ghp_"],
  ["answered deploy-secret-1 and forge-secret-2", "-secret-"],
])("no secret of %j is logged, in message, stack or cause [12.20]", (message, secret) => {
  const { line } = logged(new Error(message, { cause: message }))
  expect(line).not.toContain(secret)
  expect(line).toContain(message.slice(0, 4).trim())
})

test("the host of an address and paths stay readable [12.20]", () => {
  const { err } = logged(new Error("GET https://forge.example:8443/a failed in /home/ada/work"))
  expect(err.message).toBe("GET https://forge.example:8443/… failed in /home/ada/work")
})

test("a thrown text is logged, and a circle of causes ends [12.20]", () => {
  expect(logged("of https://a:b@c.example").err).toEqual({ message: "of https://[redacted]" })
  const circle = new Error("round")
  circle.cause = circle
  expect(logged(circle).err.message).toBe("round")
})

test("a log that has grown too large is shortened to its last whole lines, under its writers [12.22]", () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "coppice-log-"))
  const path = join(folder.path, "daemon.log")
  const lines = Array.from({ length: 10 }, (_, n) => `line ${n}\n`)
  writeFileSync(path, lines.join(""))
  const log = openSync(path, "a")
  trimLog(path, 70, 20)
  expect(readFileSync(path, "utf8"), "it is not too large").toBe(lines.join(""))
  trimLog(path, 69, 20)
  writeSync(log, "more\n")
  closeSync(log)
  expect(readFileSync(path, "utf8")).toBe("line 8\nline 9\nmore\n")
  trimLog(join(folder.path, "none"), 1, 1)
})

test("a log is bounded while its daemon runs [12.22]", () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "coppice-log-"))
  const path = join(folder.path, "daemon.log")
  const bound = boundLog(path, 30, (log) => trimLog(log, 70, 20))
  const sizes = Array.from({ length: 100 }, (_, n) => {
    const line = `line ${n % 10}\n`
    appendFileSync(path, line)
    bound(line)
    return statSync(path).size
  })
  expect(Math.max(...sizes)).toBeLessThanOrEqual(70 + 35)
  expect(readFileSync(path, "utf8")).toMatch(/^(line \d\n)+$/)
  expect(readFileSync(path, "utf8")).toMatch(/line 8\nline 9\n$/)
})

test("a trim that finds no room loses nothing and throws nothing [12.22]", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "coppice-log-"))
  const path = join(folder.path, "daemon.log")
  const lines = Array.from({ length: 20_000 }, (_, n) => `line ${n}\n`).join("")
  writeFileSync(path, lines)
  const code = `(await import(${JSON.stringify(import.meta.resolve("./log.ts"))})).trimLog(${JSON.stringify(path)}, 99999, 65536)`
  const shell = `ulimit -f 4; exec "$0" --input-type=module -e "$1"`
  execFileSync("sh", ["-c", shell, process.execPath, code])
  const left = readFileSync(path, "utf8")
  expect(left.length).toBe(lines.length)
  expect(left.endsWith(lines.slice(-65_536))).toBe(true)
})

/** A log of a thousand lines whose last one was read. */
function readLog(folder: string) {
  const env = { COPPICE_STATE: folder }
  const path = daemonLogPath(stateDirOf(folder, env))
  mkdirSync(dirname(path))
  const line = (n: number) => `${JSON.stringify({ time: n, level: 30, msg: `line ${n}` })}\n`
  const write = (from: number, to: number) => {
    for (let n = from; n <= to; n++) appendFileSync(path, line(n))
  }
  write(0, 999)
  const log = new DaemonLog(folder, env)
  expect(log.last(1)).toMatchObject([{ text: "line 999" }])
  const seenUntil = async (last: string) => {
    const ending = new AbortController()
    const seen: string[] = []
    for await (const { text } of log.follow(ending.signal)) {
      seen.push(text)
      if (text === last) ending.abort()
    }
    return seen
  }
  return { path, log, write, seenUntil }
}

test("a follower of a log gets each line once, also of one that was shortened [12.22]", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "coppice-log-"))
  const { path, write, seenUntil } = readLog(folder.path)
  trimLog(path, 20_000, 10_000)
  write(1000, 1000)
  expect(await seenUntil("line 1000")).toEqual(["line 1000"])
})

test("a follower that was blocked while its log was shortened gets each line once, or reads that some are missing [12.22]", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "coppice-log-"))
  const { path, write, seenUntil } = readLog(folder.path)
  trimLog(path, 20_000, 10_000)
  write(1000, 2000) // larger than it was
  const all = Array.from({ length: 1001 }, (_, n) => `line ${1000 + n}`)
  expect(await seenUntil("line 2000")).toEqual(all)

  write(2001, 3000)
  trimLog(path, 20_000, 10_000)
  for (const until of [3000, 5000]) {
    write(3001, until)
    if (until > 3000) trimLog(path, 20_000, 10_000)
    const [first, second, ...rest] = await seenUntil(`line ${until}`)
    expect(first).toMatch(/^lines are missing here: /)
    expect(Number(second?.split(" ")[1])).toBeGreaterThan(until - 1000)
    expect(new Set(rest).size).toBe(rest.length)
  }
  appendFileSync(path, `${"x".repeat(2 ** 20)}\n`)
  write(5001, 5001)
  expect((await seenUntil("line 5001")).join("\n")).toMatch(
    /^lines are missing here: .*\nline 5001$/,
  )
})

test("a follower whose log was emptied or replaced by an empty one reads what comes into it", () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "coppice-log-"))
  const { path, log, write } = readLog(folder.path)
  const missing = { text: expect.stringMatching(/^lines are missing here: /) }
  const replace = () => {
    writeFileSync(`${path}.new`, "")
    renameSync(`${path}.new`, path)
  }
  for (const [empty, told] of [
    [() => truncateSync(path), [missing]],
    [replace, []],
  ] as const) {
    empty()
    expect(log.last(9)).toMatchObject(told)
    expect(log.last(9)).toEqual([])
    write(1000, 1000)
    expect(log.last(9)).toMatchObject([{ text: "line 1000" }])
  }
})
