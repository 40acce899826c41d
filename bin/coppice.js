#!/usr/bin/env node
/**
 * Starts Coppice: finds a Node that is new enough, keeps compiled code between runs, and runs the
 * package's JavaScript, or the TypeScript that it is made from where there is no dist. Compiled code
 * lies in a folder of the user's own: Node runs whatever it finds there.
 *
 * Plain JavaScript that an old Node reads too, so that it can say what is wrong.
 */
const NODE_MAJOR_MIN = 24
/** Ctrl-C, of which a second one may end at once what is still ending in order. */
const PRESSED = "SIGINT"
/** `kill`, and a terminal that is closed: what comes twice, from the shell and the system, means no more. */
const SENT = ["SIGTERM", "SIGHUP"]
const beside = (path) => new URL(`../${path}`, import.meta.url)

if (Number.parseInt(process.versions.node, 10) >= NODE_MAJOR_MIN) process.exitCode = await start()
else await startWithNewerNode()

async function start() {
  // Not by `import`: see src/client/builtins.ts.
  const built = process.getBuiltinModule("node:fs").existsSync(beside("dist/cli/main.js"))
  const load = (name, from = "src") =>
    import(beside(built ? `dist/${name}.js` : `${from}/${name}.ts`).href)
  await keepCompiled(load)
  process.stdout.on("error", endEarly)
  process.stderr.on("error", () => {}) // nobody is left to tell
  const { main } = await load("cli/main")
  const readEnded = async (home, path) => {
    const { readEnded } = await load("daemon/read-ended")
    return readEnded(home, path)
  }
  return main(process.argv.slice(2), {
    cwd: () => process.cwd(),
    env: process.env,
    stdin: process.stdin,
    askLine: process.stdin.isTTY && process.stderr.isTTY ? askLine : undefined,
    keyboard: process.stdin.isTTY ? process.stdin : undefined,
    stdout: process.stdout,
    stderr: process.stderr,
    onInterrupt(stop) {
      process.once(PRESSED, stop)
      for (const signal of SENT) process.on(signal, stop)
      return () => [PRESSED, ...SENT].forEach((signal) => void process.off(signal, stop))
    },
    async runDaemon(options) {
      const { runDaemon } = await load("daemon/main")
      return runDaemon(options)
    },
    async listHomes() {
      const { listHomes } = await load("homes/list-homes")
      return listHomes(process.env)
    },
    async readNames(home) {
      const { readNames } = await load("homes/read-names")
      return readNames(home, process.env)
    },
    readEnded,
    async serveMcp(options) {
      const { serveMcp } = await load("mcp/serve")
      const { stdin, stdout } = process
      await serveMcp({ ...options, stdin, stdout, readEnded })
      process.exit(0) // the program that asked is gone: no answer has a reader
    },
    async runTorture(options) {
      const { torture } = await load("torture/torture", ".")
      return torture(options)
    },
  })
}

/** Without a folder that is the user's alone, everything is compiled again. */
async function keepCompiled(load) {
  const { XDG_CACHE_HOME: chosen = "", HOME: home } = process.env
  try {
    const root = chosen.startsWith("/")
      ? chosen
      : `${home || process.getBuiltinModule("node:os").homedir()}/.cache`
    const { makePrivateFolder } = await load("client/private-folder")
    if (makePrivateFolder(`${root}/coppice`) !== undefined) return
    process.getBuiltinModule("node:module").enableCompileCache(`${root}/coppice`)
  } catch {
    // no home, or a disk that is full or read-only
  }
}

async function askLine(question) {
  const { createInterface } = process.getBuiltinModule("node:readline/promises")
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return await terminal.question(question, { signal: endOf(terminal) })
  } catch {
    return "" // Ctrl-C or Ctrl-D: no answer
  } finally {
    terminal.close()
  }
}

function endOf(terminal) {
  const ended = new AbortController()
  terminal.once("close", () => ended.abort())
  terminal.once("SIGINT", () => ended.abort())
  return ended.signal
}

/** Who reads our output may stop reading: `coppice ls | head`. */
function endEarly(error) {
  if (error.code === "EPIPE") process.exit(0)
  console.error(`coppice: the output cannot be written (${error.code}).`)
  process.exit(1)
}

/** A machine with an older Node works when the package `node` is installed beside this one. */
async function startWithNewerNode() {
  const { existsSync } = await import("node:fs")
  const { fileURLToPath } = await import("node:url")
  const program = ["node_modules/node/bin/node", "../node/bin/node"]
    .map((path) => fileURLToPath(beside(path)))
    .find((path) => existsSync(path))
  if (!program) return explain()

  const { spawn } = await import("node:child_process")
  const args = [fileURLToPath(import.meta.url), ...process.argv.slice(2)]
  const child = spawn(program, args, { stdio: "inherit" })
  process.on(PRESSED, () => {}) // a terminal sends it to the child too, which decides
  for (const signal of SENT) process.on(signal, () => child.kill(signal))
  child.on("exit", (code) => {
    process.exitCode = code ?? 1
  })
}

function explain() {
  console.error(
    `coppice: Node ${NODE_MAJOR_MIN} or newer is needed; this is ${process.versions.node}.\n` +
      `  Install it from your system, or beside Coppice: \`npm install node@${NODE_MAJOR_MIN}\`,\n` +
      "  with `-g` where Coppice was installed with it.",
  )
  process.exitCode = 2
}
